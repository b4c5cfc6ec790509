-- One committed UPDATE of one row by its key, in the team's walls, in one round trip.
\set n random(1, 100000)
\startpipeline
SELECT set_config('pippin.team', 'ACMETEAM01', true);
UPDATE refresh_tokens SET last_used_at = now()
WHERE team_id = 'ACMETEAM01' AND token_id = substr(sha256(convert_to('limit ' || :n::text, 'UTF8')), 1, 16)
    AND client_id = 'com.acme.web' AND revoked_at IS NULL
RETURNING sub, app_id, authenticated_at;
\endpipeline
