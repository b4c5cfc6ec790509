-- Tries at a second factor are counted among the limits, for a sign-in and for a person in all.
ALTER TABLE attempts DROP COLUMN second_factor_tries;
