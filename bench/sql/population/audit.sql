-- :events audit events of the last :days days with their words and the people they name.
SET session_replication_role = replica;
SET timezone = 'UTC';

SELECT format(
    'CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
    parent || to_char(month, '_YYYYMM'), parent, month, month + interval '1 month'
)
FROM unnest(ARRAY['audit_events', 'audit_words']) AS parent, generate_series(
    date_trunc('month', now() - make_interval(days => :days)), date_trunc('month', now()), interval '1 month'
) AS month
\gexec

SELECT population_drop_indexes('audit_events'), population_drop_indexes('audit_words');

-- Seven of ten events are sign-ins, as they are where people sign in; one of ten is refused.
INSERT INTO audit_events (
    team_id, at, event_id, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent, request_id, after,
    ip_key, words
)
SELECT team, at, md5('event ' || n)::uuid::text, actor_kind, actor, action, target_kind, target,
    CASE action WHEN 'sign_in.refused' THEN 'refused' ELSE 'succeeded' END, population_ip(person),
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0', request, after::jsonb, population_ip_key(person),
    ARRAY[actor] || CASE WHEN target = actor THEN '{}' ELSE ARRAY[target] END || ARRAY[request]
        || string_to_array(action, '.') || said
FROM (
    SELECT n, person, team, at, left(md5('request ' || n), 16) AS request,
        CASE WHEN kind < 90 THEN population_sub(person) WHEN kind < 93 THEN population_client(team) ELSE member END AS actor,
        CASE WHEN kind < 90 THEN 'person' WHEN kind < 93 THEN 'client' ELSE 'member' END AS actor_kind,
        CASE WHEN kind < 70 THEN 'sign_in.completed' WHEN kind < 80 THEN 'sign_in.refused'
            WHEN kind < 90 THEN 'consent.granted' WHEN kind < 93 THEN 'consent.ended'
            WHEN kind < 96 THEN 'token.revoked' WHEN kind < 98 THEN 'app_id.updated' ELSE 'user.exported' END AS action,
        CASE WHEN kind IN (96, 97) THEN 'app_id' ELSE 'user' END AS target_kind,
        CASE WHEN kind IN (96, 97) THEN population_app(team) ELSE population_sub(person) END AS target,
        CASE WHEN kind < 70 THEN '{"factors": ["password"]}'
            WHEN kind BETWEEN 80 AND 92 THEN format('{"appID": "%s"}', population_app(team)) END AS after,
        CASE WHEN kind < 70 THEN ARRAY['password']
            WHEN kind BETWEEN 80 AND 92 THEN ARRAY[population_app(team)] || string_to_array(population_app(team), '.')
            ELSE '{}' END AS said
    FROM (
        SELECT n, person, population_team(person, :teams) AS team, n / 2 % 100 AS kind,
            now() - (:events - n)::float8 / :events * :days * interval '1 day' AS at,
            population_member(1 + person % 100) AS member
        FROM (SELECT n, 1 + n * 7919 % :people AS person FROM generate_series(1::bigint, :events) AS n) AS numbered
        OFFSET 0 -- so that none of these functions is called for each of its uses
    ) AS placed
    OFFSET 0
) AS told;

-- Those of the events that were there before too.
TRUNCATE audit_words;
INSERT INTO audit_words (team_id, word, at, event_id)
SELECT e.team_id, word, e.at, e.event_id FROM audit_events AS e, unnest(e.words) AS word;

SELECT population_build_indexes('audit_events'), population_build_indexes('audit_words');

INSERT INTO audit_people (team_id, kind, sub, name, email)
SELECT team_id, 'person', sub, trim(given_name || ' ' || family_name), email FROM users WHERE team_id <> 'PIPPIN0000'
ON CONFLICT DO NOTHING;
INSERT INTO audit_people (team_id, kind, sub, name, email)
SELECT DISTINCT m.team_id, 'member', u.sub, trim(u.given_name || ' ' || u.family_name), u.email
FROM memberships m JOIN users u ON u.team_id = 'PIPPIN0000' AND u.sub = m.sub
ON CONFLICT DO NOTHING;

-- Seals are made by a server alone, ten thousand a second. No list reads them, so those of the last day are enough.
INSERT INTO audit_unsealed (team_id, at, event_id)
SELECT team_id, at, event_id FROM audit_events WHERE at > now() - interval '1 day' ON CONFLICT DO NOTHING;

ANALYZE audit_events, audit_words, audit_people, audit_unsealed;
