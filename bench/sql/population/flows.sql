-- :flows flows of the last twenty-nine days with their steps, half of them Acme's, and the counts of two years.
SET session_replication_role = replica;

SELECT format(
    'CREATE TABLE IF NOT EXISTS %s_%s PARTITION OF %1$s FOR VALUES FROM (%3$L) TO (%4$L)', parent, week,
    pippin_flow_prefix(to_timestamp(week * 604800)), pippin_flow_prefix(to_timestamp((week + 1) * 604800))
)
FROM unnest(ARRAY['flows', 'flow_steps']) AS parent, generate_series(
    extract(epoch FROM now() - interval '29 days')::bigint / 604800, extract(epoch FROM now())::bigint / 604800
) AS week
\gexec

SELECT population_drop_indexes('flows'), population_drop_indexes('flow_steps');

CREATE TEMPORARY TABLE population_flows AS
SELECT n, team, person, at, pippin_flow_prefix(at) || left(md5('flow ' || n), 16) AS flow_id,
    CASE WHEN kind < 80 THEN 'answered' WHEN kind < 90 THEN 'open' WHEN kind < 97 THEN 'failed' ELSE 'cancelled' END
        AS outcome,
    CASE WHEN kind BETWEEN 90 AND 96 THEN
        (ARRAY['return_url_unregistered', 'client_unknown', 'code_used', 'code_expired', 'secret_expired'])[1 + n / 200 % 5]
    END AS cause
FROM (
    SELECT n, population_team(1 + n * 7919 % :people, :teams) AS team, 1 + n * 7919 % :people AS person, n / 2 % 100 AS kind,
        now() - (:flows - n) * interval '29 days' / :flows AS at
    FROM generate_series(1::bigint, :flows) AS n
) AS placed;

INSERT INTO flows (team_id, flow_id, client_id, sub, outcome, cause, reference, opening)
SELECT team, flow_id, population_client(team), CASE WHEN outcome = 'answered' THEN population_sub(person) END, outcome, cause,
    CASE WHEN outcome = 'failed' THEN left(md5('flow ' || n), 16) END,
    format(
        '{"kind":"%s","at":%s,"ip":"%s","sent":["client_id","%s","response_mode","form_post"]}',
        CASE outcome WHEN 'failed' THEN 'authorization_refused' ELSE 'authorization' END,
        extract(epoch FROM at)::bigint * 1000000, population_ip(person), population_client(team)
    )
FROM population_flows;

INSERT INTO flow_steps (team_id, flow_id, at, kind, step)
SELECT team, flow_id, at + delay, kind,
    format('{"kind":"%s","at":%s,"ip":"%s"}', kind, extract(epoch FROM at + delay)::bigint * 1000000, population_ip(person))
FROM population_flows, (
    VALUES ('proved', interval '9 seconds'), ('answered', interval '12 seconds'), ('code_redeemed', interval '13 seconds')
) AS step (kind, delay)
WHERE outcome = 'answered';

SELECT population_build_indexes('flows'), population_build_indexes('flow_steps');

INSERT INTO daily_counts (team_id, measure, day, subject, count)
SELECT team_id, measure, current_date - back, '', 1 + (back * 7919) % 500
FROM teams, unnest(ARRAY['sign_in', 'new_user']) AS measure, generate_series(1, 60) AS back WHERE NOT is_system
ON CONFLICT DO NOTHING;

ANALYZE flows, flow_steps, daily_counts;
