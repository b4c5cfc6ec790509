-- :tokens refresh tokens, ten for each of :people users, of which nine belong to sessions that have ended.
SELECT population_drop_indexes('refresh_tokens');
INSERT INTO refresh_tokens (
    team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at, revoked_at
)
SELECT team, substr(sha256(convert_to(population_token(n), 'UTF8')), 1, 16), population_sub(person), population_app(team),
    population_client(team), issued, issued, issued, CASE WHEN (n / :people + person / 2) % 10 <> 0 THEN now() END
FROM (
    SELECT n, 1 + n % :people AS person, population_team(1 + n % :people, :teams) AS team,
        now() - (:tokens - n) * interval '2 seconds' AS issued
    FROM generate_series(1, :tokens) AS n
    OFFSET 0
) AS t;
SELECT population_build_indexes('refresh_tokens');
ANALYZE refresh_tokens;
