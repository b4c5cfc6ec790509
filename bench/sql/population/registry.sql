-- What a large team registers: :apps App IDs with two Service IDs and four keys each, two of them revoked.
SET session_replication_role = replica;

CREATE TEMPORARY TABLE population_apps AS
SELECT n, 'com.acme.' || (ARRAY['shop', 'play', 'read', 'ride', 'cook'])[1 + n % 5] || n AS app
FROM generate_series(1, :apps) AS n;

INSERT INTO client_identifiers (team_id, identifier, kind)
SELECT :'team', app, 'app' FROM population_apps
UNION ALL SELECT :'team', app || '.' || kind, 'service' FROM population_apps, unnest(ARRAY['web', 'android']) AS kind;
INSERT INTO app_ids (team_id, identifier, description)
SELECT :'team', app, 'Acme ' || initcap(substr(app, 10)) FROM population_apps;
INSERT INTO service_ids (team_id, identifier, app_id, rank, description)
SELECT :'team', app || '.' || kind, app, rank, 'Acme ' || initcap(kind) || ' ' || n
FROM population_apps, (VALUES ('web', 1), ('android', 2)) AS service (kind, rank);
INSERT INTO service_domains (team_id, service_id, domain)
SELECT :'team', app || '.web', 'app' || n || '.acme.example' FROM population_apps;
INSERT INTO domains (team_id, domain, check_due_at)
SELECT :'team', 'app' || n || '.acme.example', now() + interval '30 days' FROM population_apps;
INSERT INTO return_urls (team_id, service_id, rank, url)
SELECT :'team', app || '.web', rank, 'https://app' || n || '.acme.example/callback/' || rank
FROM population_apps, generate_series(1, 3) AS rank;
INSERT INTO keys (
    team_id, key_id, name, app_id, rank, public_key_pem, fingerprint, created_at, revoked_at
)
SELECT :'team', 'A' || lpad((n * 4 + number)::text, 9, '0'), 'Backend ' || n, app, CASE WHEN number <= 2 THEN number END,
    k.public_key_pem, k.fingerprint, now() - n * interval '1 hour', CASE WHEN number > 2 THEN now() END
FROM population_apps, generate_series(1, 4) AS number, keys AS k WHERE k.team_id = :'team' AND k.key_id = 'ACMEKEY001';
INSERT INTO email_sources (team_id, source, kind, rank, check_due_at)
SELECT :'team', 'mail' || rank || '.acme.example', 'domain', rank, now() + interval '30 days'
FROM generate_series(2, 100) AS rank ON CONFLICT DO NOTHING;
INSERT INTO invitations (team_id, invitation_id, token_hash, email, role, invited_by, created_at, expires_at)
SELECT :'team', 'I' || lpad(n::text, 9, '0'), sha256(convert_to('invitation ' || n, 'UTF8')), 'new' || n || '@example.com',
    'developer', population_member(1), now(), now() + interval '7 days'
FROM generate_series(1, 50) AS n;

ANALYZE client_identifiers, app_ids, service_ids, service_domains, domains, return_urls, keys, email_sources, teams,
    memberships, invitations, registry_versions;
