-- A sign-in under way carries its whole state: who it is about, what was proved and how, what is still owed. The
-- next step is decided from this row alone. A sign-in may also lead to the person's own page, without an app.
ALTER TABLE attempts
    ALTER COLUMN client_id DROP NOT NULL,
    ALTER COLUMN app_id DROP NOT NULL,
    ALTER COLUMN redirect_uri DROP NOT NULL,
    ALTER COLUMN response_type DROP NOT NULL,
    ALTER COLUMN response_mode DROP NOT NULL,
    -- Where a sign-in without an app leads; no app and no path is the person's own page.
    ADD COLUMN next_path text,
    -- What the app asked for, for the pages: their language, and who it expects.
    ADD COLUMN language text COLLATE "C",
    ADD COLUMN login_hint text,
    -- The person who gave the first proof, under the name they typed; nobody else can give the second.
    ADD COLUMN sub text COLLATE "C",
    ADD COLUMN login text,
    ADD COLUMN first_factor text CHECK (first_factor IN ('password', 'passkey', 'apple')),
    ADD COLUMN first_factor_at timestamptz,
    -- What the person owes beside it, decided with the first proof.
    ADD COLUMN second_factor_due text CHECK (second_factor_due IN ('nothing', 'proof', 'enrolment')),
    ADD COLUMN second_factor text CHECK (second_factor IN ('totp', 'passkey', 'recovery_code')),
    ADD COLUMN second_factor_at timestamptz,
    ADD COLUMN second_factor_tries smallint NOT NULL DEFAULT 0,
    -- When the proofs became a session; they do so once.
    ADD COLUMN entered_at timestamptz,
    -- The person asked for another account than the session's.
    ADD COLUMN sets_session_aside boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT attempts_goal_check CHECK ((client_id IS NULL) = (redirect_uri IS NULL)),
    ADD CONSTRAINT attempts_identity_check CHECK ((first_factor IS NULL) = (sub IS NULL)),
    ADD CONSTRAINT attempts_second_proof_check CHECK (second_factor IS NULL OR first_factor IS NOT NULL);

-- How the person proved who they are, as long as the session lasts.
ALTER TABLE sessions
    ADD COLUMN first_factor text NOT NULL DEFAULT 'password'
        CHECK (first_factor IN ('password', 'passkey', 'apple')),
    ADD COLUMN second_factor text CHECK (second_factor IN ('totp', 'passkey', 'recovery_code'));
