module github.com/tokentiming/tokentiming/examples

go 1.26.0

require github.com/tokentiming/tokentiming v0.0.0

require (
	github.com/stretchr/testify v1.12.1
	github.com/tokentiming/tokentiming/otelx v0.0.0
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/tokentiming/tokentiming => ../

replace github.com/tokentiming/tokentiming/otelx => ../otelx
