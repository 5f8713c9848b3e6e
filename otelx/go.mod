module github.com/tokentiming/tokentiming/otelx

go 1.25.0

require github.com/tokentiming/tokentiming v0.0.0

replace github.com/tokentiming/tokentiming => ../
