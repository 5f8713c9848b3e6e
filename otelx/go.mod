module github.com/tokentiming/tokentiming/otelx

go 1.25.0
