-- What the scripts of bench/limits read and write: tokens that can be named by a number.
INSERT INTO refresh_tokens (team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at)
SELECT :'team', substr(sha256(convert_to('limit ' || n, 'UTF8')), 1, 16),
    '000000.' || md5('person ' || 1 + n % :people) || '.0000', :'app', :'client', now(), now(), now()
FROM generate_series(1, 100000) AS n;
