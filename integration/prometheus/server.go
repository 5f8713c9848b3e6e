package prometheus

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	promconfig "github.com/prometheus/common/config"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/discovery"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/scrape"
	"github.com/prometheus/prometheus/storage/remote"
	"github.com/prometheus/prometheus/tsdb"
)

// Address is where a Server listens on its Network, for OTLP at OTLPPath.
const (
	Address  = "prometheus:9090"
	OTLPPath = "/api/v1/otlp/v1/metrics"
)

// Server is a Prometheus server within this process: its own storage, discovery, scrape, rule and query engines and its own
// receiver of OTLP, put together as its main function does. They run as they do there, on their own timers, so that in a bubble of
// testing/synctest hours pass in a moment. Nobody is notified of alerts.
//
// A bubble must not be the first to resolve a name, which the scrape engine does: the resolver then has a channel of that bubble for
// good. Call osutil.GetFQDN once before.
type Server struct {
	config   *config.Config
	network  *Network
	logger   *slog.Logger
	registry *prometheus.Registry // of Prometheus's metrics about itself
	storage  *tsdb.DB
	parser   parser.Parser
	queries  *promql.Engine
	scrapes  *scrape.Manager
	rules    *rules.Manager
	http     *http.Server

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Start starts a Server that keeps its data in a directory and reaches its targets through a network. Stop it.
func Start(c *config.Config, dir string, network *Network, logger *slog.Logger) (*Server, error) {
	s := &Server{config: c, network: network, logger: logger, registry: prometheus.NewRegistry(), parser: parser.NewParser(parser.Options{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, start := range []func() error{
		func() error { return s.openStorage(dir) }, s.startQueries, s.startScrapes, s.startRules, s.listen,
	} {
		if err := start(); err != nil {
			return nil, errors.Join(err, s.Stop())
		}
	}
	return s, nil
}

// Stop stops the Server and waits for all its parts. Of a Server that did not start, it stops the parts that did.
func (s *Server) Stop() error {
	var errs []error
	if s.http != nil {
		errs = append(errs, s.http.Close())
	}
	if s.rules != nil {
		s.rules.Stop()
	}
	if s.scrapes != nil {
		s.scrapes.Stop()
	}
	s.cancel()
	s.running.Wait()
	if s.queries != nil {
		errs = append(errs, s.queries.Close())
	}
	if s.storage != nil {
		errs = append(errs, s.storage.Close())
	}
	return errors.Join(errs...)
}

func (s *Server) openStorage(dir string) (err error) {
	options := tsdb.DefaultOptions()
	options.OutOfOrderTimeWindow = s.config.StorageConfig.TSDBConfig.OutOfOrderTimeWindow
	s.storage, err = tsdb.Open(filepath.Join(dir, "data"), s.logger, s.registry, options, nil)
	return err
}

func (s *Server) startQueries() error {
	s.queries = promql.NewEngine(promql.EngineOpts{
		Logger:               s.logger,
		Reg:                  s.registry,
		MaxSamples:           50_000_000,
		Timeout:              2 * time.Minute,
		LookbackDelta:        lookback,
		EnableAtModifier:     true,
		EnableNegativeOffset: true,
		Parser:               s.parser,
	})
	return nil
}

// lookback is how old a sample may be to be still the current one.
const lookback = 5 * time.Minute

// resolving is held while a name is resolved: resolvers share what is under way, and its channels belong to one bubble.
var resolving sync.Mutex

func (s *Server) startScrapes() (err error) {
	options := &scrape.Options{HTTPClientOptions: []promconfig.HTTPClientOption{promconfig.WithDialContextFunc(s.network.DialContext)}}
	s.scrapes, err = scrape.NewManager(options, s.logger, nil, nil, s.storage, s.registry)
	if err != nil {
		return err
	}
	resolving.Lock()
	defer resolving.Unlock()
	if err := s.scrapes.ApplyConfig(s.config); err != nil {
		return err
	}
	return s.discover()
}

// discover hands the targets of the configuration to the scrape engine.
func (s *Server) discover() error {
	metrics, err := discovery.CreateAndRegisterSDMetrics(s.registry)
	if err != nil {
		return err
	}
	jobs, err := s.config.GetScrapeConfigs()
	if err != nil {
		return err
	}
	targets := make(map[string]discovery.Configs)
	for _, job := range jobs {
		targets[job.JobName] = job.ServiceDiscoveryConfigs
	}
	m := discovery.NewManager(s.ctx, s.logger, s.registry, metrics, discovery.Name("scrape"))
	s.running.Go(func() { _ = m.Run() }) // its error is that of the context
	s.running.Go(func() { _ = s.scrapes.Run(m.SyncCh()) })
	return m.ApplyConfig(targets)
}

func (s *Server) startRules() error {
	s.rules = rules.NewManager(&rules.ManagerOptions{
		AppendableV2:    s.storage,
		Queryable:       s.storage,
		QueryFunc:       rules.EngineQueryFunc(s.queries, s.storage),
		NotifyFunc:      func(context.Context, string, ...*rules.Alert) {},
		Context:         s.ctx,
		ExternalURL:     &url.URL{Scheme: "http", Host: Address},
		Registerer:      s.registry,
		Logger:          s.logger,
		OutageTolerance: time.Hour,
		ForGracePeriod:  10 * time.Minute,
		ResendDelay:     time.Minute,
		Parser:          s.parser,
	})
	s.running.Go(s.rules.Run)
	global := s.config.GlobalConfig
	return s.rules.Update(time.Duration(global.EvaluationInterval), s.config.RuleFiles, global.ExternalLabels, "http://"+Address, nil)
}

func (s *Server) listen() error {
	l, err := s.network.Listen(Address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(OTLPPath, remote.NewOTLPWriteHandler(s.logger, s.registry, s.storage, s.configuration, remote.OTLPOptions{LookbackDelta: lookback}))
	s.http = &http.Server{Handler: mux}
	s.running.Go(func() { _ = s.http.Serve(l) }) // it ends by Stop alone
	return nil
}

func (s *Server) configuration() config.Config { return *s.config }
