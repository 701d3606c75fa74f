// Placeholder until the query branch lands.
