package monitor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

func ExampleMonitor_Handler() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	mux := http.NewServeMux()
	mux.Handle("/timing/", m.Handler()) // the page, and /timing/json
	server := httptest.NewServer(mux)
	defer server.Close()

	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	_, rec := tracker.Start(context.Background(), tpot.Request{Provider: "openai", Model: "gpt-5-mini", Scenario: "chat"})
	rec.ObserveAt(180*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.ObserveAt(200*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.EndAt(205*time.Millisecond, nil)

	page, err := http.Get(server.URL + "/timing/")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer page.Body.Close()
	fmt.Println(page.StatusCode, page.Header.Get("Content-Type"))

	facts, err := http.Get(server.URL + "/timing/json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer facts.Body.Close()
	var answer struct {
		Recent []struct {
			Model   string
			Outcome string
			TTFT    float64 `json:"ttft_ms"`
			TPOT    float64 `json:"tpot_ms"`
		}
	}
	if err := json.NewDecoder(facts.Body).Decode(&answer); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%+v\n", answer.Recent[0])
	// Output:
	// 200 text/html; charset=utf-8
	// {Model:gpt-5-mini Outcome:ok TTFT:180 TPOT:20}
}
