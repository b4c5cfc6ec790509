-- :traces traces of the last twenty-nine days with their steps, half of them Acme's, and the counts of two years.
SET session_replication_role = replica;

SELECT format(
    'CREATE TABLE IF NOT EXISTS %s_%s PARTITION OF %1$s FOR VALUES FROM (%3$L) TO (%4$L)', parent, week,
    pippin_trace_prefix(to_timestamp(week * 604800)), pippin_trace_prefix(to_timestamp((week + 1) * 604800))
)
FROM unnest(ARRAY['traces', 'trace_events']) AS parent, generate_series(
    extract(epoch FROM now() - interval '29 days')::bigint / 604800, extract(epoch FROM now())::bigint / 604800
) AS week
\gexec

SELECT population_drop_indexes('traces'), population_drop_indexes('trace_events');

CREATE TEMPORARY TABLE population_traces AS
SELECT n, team, person, at, pippin_trace_prefix(at) || left(md5('trace ' || n), 16) AS trace_id,
    CASE WHEN kind < 80 THEN 'answered' WHEN kind < 90 THEN 'open' WHEN kind < 97 THEN 'failed' ELSE 'cancelled' END
        AS outcome,
    CASE WHEN kind BETWEEN 90 AND 96 THEN
        (ARRAY['return_url_unregistered', 'client_unknown', 'code_used', 'code_expired', 'secret_expired'])[1 + n / 200 % 5]
    END AS cause
FROM (
    SELECT n, population_team(1 + n * 7919 % :people, :teams) AS team, 1 + n * 7919 % :people AS person, n / 2 % 100 AS kind,
        now() - (:traces - n) * interval '29 days' / :traces AS at
    FROM generate_series(1::bigint, :traces) AS n
) AS placed;

INSERT INTO traces (team_id, trace_id, client_id, sub, outcome, cause, reference, opening)
SELECT team, trace_id, population_client(team), CASE WHEN outcome = 'answered' THEN population_sub(person) END, outcome, cause,
    CASE WHEN outcome = 'failed' THEN left(md5('trace ' || n), 16) END,
    format(
        '{"kind":"%s","at":%s,"ip":"%s","sent":["client_id","%s","response_mode","form_post"]}',
        CASE outcome WHEN 'failed' THEN 'authorization_refused' ELSE 'authorization' END,
        extract(epoch FROM at)::bigint * 1000000, population_ip(person), population_client(team)
    )
FROM population_traces;

INSERT INTO trace_events (team_id, trace_id, at, kind, event)
SELECT team, trace_id, at + delay, kind,
    format('{"kind":"%s","at":%s,"ip":"%s"}', kind, extract(epoch FROM at + delay)::bigint * 1000000, population_ip(person))
FROM population_traces, (
    VALUES ('proved', interval '9 seconds'), ('answered', interval '12 seconds'), ('code_redeemed', interval '13 seconds')
) AS step (kind, delay)
WHERE outcome = 'answered';

SELECT population_build_indexes('traces'), population_build_indexes('trace_events');

INSERT INTO daily_counts (team_id, measure, day, subject, count)
SELECT team_id, measure, current_date - back, '', 1 + (back * 7919) % 500
FROM teams, unnest(ARRAY['sign_in', 'new_user']) AS measure, generate_series(1, 60) AS back WHERE NOT is_system
ON CONFLICT DO NOTHING;

ANALYZE traces, trace_events, daily_counts;
