-- Where mail lands while no mail server is configured. The rows are the system team's, whatever team wrote:
-- operators read them in the mail server's place.
CREATE TABLE mailbox (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- The id of the job that wrote it, so that it lands once.
    mail_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    of_team text COLLATE "C" NOT NULL,
    letter text NOT NULL,
    recipient text COLLATE "C" NOT NULL,
    subject text NOT NULL,
    body_text text NOT NULL,
    body_html text NOT NULL,
    link text,
    PRIMARY KEY (team_id, mail_id),
    CONSTRAINT mailbox_team_id_check CHECK (team_id = 'PIPPIN0000')
);
CREATE INDEX mailbox_at ON mailbox (team_id, at, mail_id);
SELECT pippin_wall('mailbox');
GRANT SELECT, INSERT, DELETE ON mailbox TO pippin_app;
