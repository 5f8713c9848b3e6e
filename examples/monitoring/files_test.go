package main

import (
	"io"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// composed is what compose.yaml says, as far as it can be wrong.
type composed struct {
	Services map[string]struct {
		Image                   string
		Build                   struct{ Context, Dockerfile string }
		Command, Volumes, Ports []string
		Environment             map[string]string
	}
}

// compose reads compose.yaml with an environment.
func compose(t *testing.T, environment map[string]string) composed {
	text, err := os.ReadFile("compose.yaml")
	require.NoError(t, err)
	var c composed
	require.NoError(t, yaml.Unmarshal([]byte(os.Expand(string(text), func(name string) string {
		name, otherwise, _ := strings.Cut(name, ":-")
		if value, ok := environment[name]; ok {
			return value
		}
		return otherwise
	})), &c))
	return c
}

// mounts are the files and directories of this directory by their places in a service's container.
func (c composed) mounts(t *testing.T, service string) map[string]string {
	mounts := make(map[string]string)
	for _, volume := range c.Services[service].Volumes {
		parts := strings.Split(volume, ":")
		require.Len(t, parts, 3, volume)
		_, err := os.Stat(parts[0])
		assert.NoError(t, err)
		mounts[parts[1]] = parts[0]
	}
	return mounts
}

func readYAML(t *testing.T, name string, into any) {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into), name)
}

// variants are the environments that README.md runs compose.yaml with.
func variants(t *testing.T) []map[string]string {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var all []map[string]string
	for _, line := range regexp.MustCompile(`(?m)^    (.*)docker compose up --build$`).FindAllSubmatch(text, -1) {
		environment := make(map[string]string)
		for setting := range strings.FieldsSeq(string(line[1])) {
			name, value, _ := strings.Cut(setting, "=")
			environment[name] = value
		}
		all = append(all, environment)
	}
	return all
}

func TestComposeRunsEveryVariant(t *testing.T) {
	var seen []string
	for _, environment := range variants(t) {
		c := compose(t, environment)
		app := c.Services["app"]
		s, err := parse(app.Command, io.Discard)
		require.NoError(t, err)
		variant := "classic"
		if s.pipeline.Native {
			variant = "native"
		}
		if !s.pipeline.Suffixes {
			variant += "-nosuffix"
		}
		assert.Equal(t, "./prometheus/rules/"+variant+".yaml", c.mounts(t, "prometheus")["/etc/prometheus/rules.yaml"])
		dashboard := c.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
		assert.Equal(t, "./grafana/dashboards/"+variant+".json", c.mounts(t, "grafana")[dashboard])
		assert.FileExists(t, path.Join(app.Build.Context, app.Build.Dockerfile))
		seen = append(seen, variant)
	}
	assert.Equal(t, []string{"classic", "classic", "classic-nosuffix", "native", "native-nosuffix"}, seen)
}

func TestComposeIsPinnedAndLocal(t *testing.T) {
	for name, service := range compose(t, nil).Services {
		if name != "app" {
			assert.Regexp(t, `^[a-z/]+:v?\d+\.\d+\.\d+$`, service.Image)
		}
		for _, port := range service.Ports {
			assert.Regexp(t, `^127\.0\.0\.1:(\d+):\d+$`, port, "nobody else is to switch faults")
		}
	}
}

func TestPrometheusFindsTheApplication(t *testing.T) {
	var config struct {
		Global struct {
			ScrapeInterval time.Duration `yaml:"scrape_interval"`
		}
		RuleFiles     []string `yaml:"rule_files"`
		ScrapeConfigs []struct {
			Native bool                         `yaml:"scrape_native_histograms"`
			Static []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	readYAML(t, "prometheus/prometheus.yml", &config)
	c := compose(t, nil)
	mounts, app := c.mounts(t, "prometheus"), c.Services["app"]
	require.Equal(t, "./prometheus/prometheus.yml", mounts["/etc/prometheus/prometheus.yml"])
	require.Len(t, config.RuleFiles, 1)
	assert.Contains(t, mounts, path.Join("/etc/prometheus", config.RuleFiles[0]))

	s, err := parse(app.Command, io.Discard)
	require.NoError(t, err)
	require.Len(t, config.ScrapeConfigs, 1)
	assert.Equal(t, []string{"app" + s.listen}, config.ScrapeConfigs[0].Static[0].Targets)
	assert.True(t, config.ScrapeConfigs[0].Native)
	assert.Greater(t, s.drain, config.Global.ScrapeInterval, "a last scrape comes before the end")
}

func TestGrafanaFindsPrometheusAndTheDashboard(t *testing.T) {
	const provisioning = "grafana/provisioning"
	c := compose(t, nil)
	assert.Equal(t, "./"+provisioning, c.mounts(t, "grafana")["/etc/grafana/provisioning"])
	var sources struct {
		Datasources []struct {
			URL       string
			IsDefault bool `yaml:"isDefault"`
		}
	}
	readYAML(t, provisioning+"/datasources/prometheus.yaml", &sources)
	require.Len(t, sources.Datasources, 1)
	assert.True(t, sources.Datasources[0].IsDefault)
	source, err := url.Parse(sources.Datasources[0].URL)
	require.NoError(t, err)
	assert.Contains(t, c.Services, source.Hostname())

	var dashboards struct {
		Providers []struct{ Options struct{ Path string } }
	}
	readYAML(t, provisioning+"/dashboards/tokentiming.yaml", &dashboards)
	require.Len(t, dashboards.Providers, 1)
	assert.Equal(t, path.Dir(c.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]), dashboards.Providers[0].Options.Path)
}
