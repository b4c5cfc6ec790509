-- The app's authorization request, as a query, that a registration began in: the link is good for a day, the sign-in for
-- a quarter of an hour. NULL where no app asked, and in rows of the release before.
ALTER TABLE mailed_links ADD COLUMN request_query text COLLATE "C";
