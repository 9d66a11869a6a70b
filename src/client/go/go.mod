module svctest

go 1.19
