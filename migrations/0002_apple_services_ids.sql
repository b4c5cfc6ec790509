-- A Services ID of Apple's belongs to one connection of a team: no release has stored two with the same.
DROP INDEX apple_connections_services_id_key;
CREATE UNIQUE INDEX apple_connections_services_id_key ON apple_connections (team_id, services_id);
ALTER TABLE apple_connections DROP COLUMN shares_services_id;
