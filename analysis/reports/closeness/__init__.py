"""Report how closely evaluators follow people, alone, in means, and one beside another."""
