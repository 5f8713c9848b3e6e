// Command generate writes the dashboards and the rules of package assets to the directory of the example.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/tokentiming/tokentiming/examples/monitoring/assets"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: generate directory")
	}
	for _, v := range assets.Variants() {
		write(filepath.Join(os.Args[1], "grafana", "dashboards", v.String()+".json"), v, assets.Dashboard)
		write(filepath.Join(os.Args[1], "prometheus", "rules", v.String()+".yaml"), v, assets.Rules)
	}
}

func write(path string, v assets.Variant, make func(assets.Variant) ([]byte, error)) {
	content, err := make(v)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, content, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
