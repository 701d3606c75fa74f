module example.org/store/check

go 1.19

require example.org/store/client v0.0.0

require gopkg.in/validator.v2 v2.0.1 // indirect

replace example.org/store/client => ./client

replace gopkg.in/validator.v2 => ./validator
