-- :teams teams, Acme among them, each with an App ID, a Service ID and an owner; one account owns a hundred of them.
SET session_replication_role = replica;

CREATE TEMPORARY TABLE population_teams AS
SELECT n, 'T' || lpad(n::text, 9, '0') AS team,
    (ARRAY['Northwind', 'Blue Harbor', 'Lumen', 'Old Mill', 'Quartz', 'Sable', 'Tern', 'Umbra', 'Vesper', 'Willow'])
        [1 + n % 10] || ' ' || (ARRAY['Labs', 'Studio', 'Games', 'Health', 'Press'])[1 + n / 10 % 5] || ' ' || n AS name
FROM generate_series(1, :teams - 1) AS n;

INSERT INTO teams (team_id, name, mode, created_at)
SELECT team, name, 'production', now() - (:teams - n) * interval '1 hour' FROM population_teams;
INSERT INTO registry_versions (team_id, version, changed_at)
SELECT team, 1, now() - interval '1 day' FROM population_teams;

INSERT INTO users (team_id, sub, given_name, family_name, email, is_email_verified, created_at)
SELECT 'PIPPIN0000', population_member(n), 'Owner', 'Number ' || n, 'owner' || n || '@example.com', true,
    now() - (:teams - n) * interval '1 hour'
FROM population_teams;
INSERT INTO memberships (team_id, sub, role, created_at)
SELECT team, population_member(n), 'owner', now() - (:teams - n) * interval '1 hour' FROM population_teams
UNION ALL
SELECT team, population_member(0), 'admin', now() - interval '1 day' FROM population_teams WHERE n <= 100
UNION ALL
SELECT :'team', population_member(n), 'developer', now() - n * interval '1 minute' FROM population_teams WHERE n <= 100;
INSERT INTO users (team_id, sub, given_name, family_name, email, is_email_verified)
VALUES ('PIPPIN0000', population_member(0), 'Agnes', 'Cy', 'agnes@example.com', true);

INSERT INTO client_identifiers (team_id, identifier, kind)
SELECT team, population_app(team), 'app' FROM population_teams
UNION ALL SELECT team, population_client(team), 'service' FROM population_teams;
INSERT INTO app_ids (team_id, identifier, description) SELECT team, population_app(team), name FROM population_teams;
INSERT INTO service_ids (team_id, identifier, app_id, rank, description)
SELECT team, population_client(team), population_app(team), 1, name || ' Web' FROM population_teams;
INSERT INTO service_domains (team_id, service_id, domain)
SELECT team, population_client(team), 'team' || n || '.example' FROM population_teams;
INSERT INTO domains (team_id, domain, check_due_at)
SELECT team, 'team' || n || '.example', now() + interval '30 days' FROM population_teams;
INSERT INTO return_urls (team_id, service_id, rank, url)
SELECT team, population_client(team), 1, 'https://team' || n || '.example/callback' FROM population_teams;
INSERT INTO keys (team_id, key_id, name, app_id, rank, public_key_pem, fingerprint, created_at)
SELECT t.team, 'K' || lpad(t.n::text, 9, '0'), 'Backend', population_app(t.team), 1, k.public_key_pem, k.fingerprint, now()
FROM population_teams AS t, keys AS k WHERE k.team_id = :'team' AND k.key_id = 'ACMEKEY001';
INSERT INTO email_sources (team_id, source, kind, rank, check_due_at)
SELECT team, 'team' || n || '.example', 'domain', 1, now() + interval '30 days' FROM population_teams;
