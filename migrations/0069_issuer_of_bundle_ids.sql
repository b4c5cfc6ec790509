-- The issuer in tokens of a native app, as a Service ID has it.
ALTER TABLE app_ids ADD COLUMN issuer text NOT NULL DEFAULT 'own' CHECK (issuer IN ('own', 'apple'));
-- The nonce of Apple's token, for the tokens that a repeated handover is answered with.
ALTER TABLE native_handovers ADD COLUMN nonce text;
