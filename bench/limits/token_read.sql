-- A token and whom it stands for, by their keys, in the team's walls, in one round trip.
\set n random(1, 100000)
\startpipeline
SELECT set_config('pippin.team', 'ACMETEAM01', true);
SELECT tokens.sub, tokens.client_id, tokens.created_at, users.email, consents.shares_email
FROM refresh_tokens AS tokens
JOIN users ON users.team_id = 'ACMETEAM01' AND users.sub = tokens.sub
JOIN consents ON consents.team_id = 'ACMETEAM01' AND consents.sub = tokens.sub AND consents.app_id = tokens.app_id
WHERE tokens.team_id = 'ACMETEAM01'
    AND tokens.token_id = substr(sha256(convert_to('limit ' || :n::text, 'UTF8')), 1, 16)
    AND tokens.revoked_at IS NULL AND users.suspended_at IS NULL;
\endpipeline
