import Core
import Crypto
import Testing

/// Web Authentication Level 3 section 16.2, “ES256 Credential with No Attestation”.
struct W3CExample {
    let party: RelyingParty
    let credentialID: [UInt8]
    let registration: RegistrationResponse
    let registrationChallenge: [UInt8]
    let assertion: AssertionResponse
    let assertionChallenge: [UInt8]

    init() throws {
        party = try #require(RelyingParty(publicURL: "https://example.org"))
        credentialID = try hex("f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4")
        registrationChallenge = try hex("00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130")
        assertionChallenge = try hex("39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408")
        registration = RegistrationResponse(
            clientDataJSON: try hex(Self.registrationClientData), authenticatorData: try hex(Self.registrationData))
        assertion = AssertionResponse(
            credentialID: credentialID, clientDataJSON: try hex(Self.assertionClientData),
            authenticatorData: try hex(Self.assertionData), signature: try hex(Self.signature), userHandle: nil)
    }

    func register() throws(WebAuthnFailure) -> Credential {
        try party.register(registration, challenge: registrationChallenge)
    }

    private static let registrationClientData = """
        7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a22414d4d5074
        34557878475453746e63647134313759447742466938767049612d7077386f4f755657345441222c226f7269
        67696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c
        73652c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e64
        65642077697468206164646974696f6e616c206669656c647320696e20746865206675747572652c20737563
        6820617320746869733a20426b5165446a646354427258426941774a544c453551227d
        """

    private static let registrationData = """
        bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b559000000008446ccb9ab1db3
        74750b2367ff6f3a1f0020f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4a5
        010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820
        930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220
        """

    private static let assertionClientData = """
        7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e55685158
        756c5455506f334a5558543049393770767a7a59425039745a63685879617630314167222c226f726967696e
        223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73657d
        """

    private static let assertionData = "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000"

    private static let signature = """
        3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f
        0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87
        """
}
