module tanzanite

go 1.21
