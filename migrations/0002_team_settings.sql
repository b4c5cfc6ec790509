-- What a team sets beyond its name: how its hosted pages look, who may register, how strict it is, how long
-- tokens and audit events live. In columns of teams, so that a snapshot of the team still costs one read.
ALTER TABLE teams
    ADD COLUMN accent_colour text CONSTRAINT teams_accent_colour_check CHECK (accent_colour ~ '^#[0-9a-f]{6}$'),
    ADD COLUMN privacy_url text CHECK (octet_length(privacy_url) <= 2048),
    ADD COLUMN terms_url text CHECK (octet_length(terms_url) <= 2048),
    ADD COLUMN registration text NOT NULL DEFAULT 'open'
        CHECK (registration IN ('open', 'invitation', 'off')),
    ADD COLUMN id_token_seconds integer NOT NULL DEFAULT 600 CHECK (id_token_seconds BETWEEN 60 AND 86400),
    -- Return URLs work on verified domains only.
    ADD COLUMN requires_verified_domains boolean NOT NULL DEFAULT false,
    ADD COLUMN audit_retention_days integer NOT NULL DEFAULT 400
        CHECK (audit_retention_days BETWEEN 30 AND 3650),
    -- How the notice of a deleted account is spelled: Apple's documents know both.
    ADD COLUMN account_delete_event text NOT NULL DEFAULT 'account-delete'
        CHECK (account_delete_event IN ('account-delete', 'account-deleted')),
    -- Deletion is asked for first and carried out after the grace period; until then it can be taken back.
    ADD COLUMN deletion_due_at timestamptz;

-- Nobody registers themselves with the console.
UPDATE teams SET registration = 'off' WHERE is_system;

-- The logo of the hosted pages. Apart from the team, so that reading the team never reads the picture.
CREATE TABLE team_logos (
    team_id text COLLATE "C" PRIMARY KEY REFERENCES teams,
    -- Part of its address, so that browsers may keep it for ever.
    digest text COLLATE "C" NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
    media_type text NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp')),
    octets bytea NOT NULL CHECK (octet_length(octets) <= 262144)
);
SELECT pippin_wall('team_logos');
GRANT SELECT, INSERT, UPDATE, DELETE ON team_logos TO pippin_app;
CREATE TRIGGER registry_changed AFTER INSERT OR UPDATE OR DELETE ON team_logos
FOR EACH ROW EXECUTE FUNCTION pippin_registry_changed();
