-- A page of App IDs.
INSERT INTO client_identifiers (team_id, identifier, kind)
SELECT :'team', 'com.acme.app' || n, 'app' FROM generate_series(1, 49) AS n;
INSERT INTO app_ids (team_id, identifier, description)
SELECT :'team', 'com.acme.app' || n, 'Acme app ' || n FROM generate_series(1, 49) AS n;
