-- What a client may spend is bounded by the command that runs it, not by its account.
DROP TABLE budgets;
