import Core

/// Keys as people bring them, good and bad; none of them protects anything.
enum SamplePEM {
    /// PKCS#8 of that algorithm (RFC 5958 section 2) with nothing but zeros for a key.
    ///
    /// - Parameter parameters: what follows the algorithm's name, in DER.
    static func hollow(_ algorithm: [UInt8], octets: Int = 20, parameters: [UInt8] = [5, 0]) -> String {
        let kind = element(0x30, element(0x06, algorithm) + parameters)
        let der = element(0x30, [2, 1, 0] + kind + element(0x04, [UInt8](repeating: 0, count: octets)))
        return "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(der))\n-----END PRIVATE KEY-----\n"
    }

    /// An element of DER of less than 64 KiB.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count > 127 else { return [tag, UInt8(content.count)] + content }
        return [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    /// The RSA key of RFC 7515 appendix A.2.
    static let rfc7515RSA = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh+BYK4uPJtGXO
        jS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8dCn5VrD7io8ImtxL
        aYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNn
        juygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5
        ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAqH2QbgtPr8jkiGUkf
        toaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHg
        VFbK5emhAgMBAAECggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyW
        PEAeP88vLNO97IjlA7/GQ5sLKMgvfTeXZx9SE+7YwVol2NXOoAJe46sui395IW/G
        O+pWJ1O0BkTGoVEn2bKVRUCgu+GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzj
        kn439X0M/V51gfpRLI9JYanrC4D4qAdGcopV/0ZHHzQlBjudU2QvXt4ehNYTCBr6
        XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl/x/jTj3ccPDVZFD9pIuhLhBOneufuBiB
        4cS98l2SR/RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0K
        pLttoLhyt3SmqdEf/kgHePDdtzEafpAu+cS191R2JiuoF2yzWXnwFDcqGigp5BNr
        0AHQfD8/Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqE
        lMGAg+C2V0L4oNXnP7LZcPAZRwKBgQC5A8R+CZW2MvRTLLHzwZkUXV866cff7tx6
        kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7vMVgePsLq6XtON4tB5kP9jAP
        rq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS/l1OW1EnXUEoEHKl54Xrrz2uNw
        kgMTP1FZ1wKBgAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7/Ls5bkUp
        5u9SN0Ai3Ya6hNnvWJMb7sXQX6U/zyO2M/hTip7tUeh7CXgwo59dkpN75gJLVds2
        9+DAncu3KXU4f2Fa+7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf/
        evpitUf+4JYbLpvNXWcY052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcG
        yoAe9fa65iNqCq+jdw6PVNGo2hxfjSiZ8IIzHdsPXI89//pMjZcQK9r+CCoRjaZj
        OYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2
        tOgrjbcrfvtQJipd+DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd/QJQ3
        ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp/gh6A56
        03k2+ZQwVK0JKSHuLFkuQ3U=
        -----END PRIVATE KEY-----

        """

    /// Its public half.
    static let rfc7515RSAPublic = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAofgWCuLjybRlzo0tZWJj
        NiuSfb4p4fAkd/wWJcyQoTbji9k0l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEz
        P1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo
        9wGzjb/7OMg0LOL+bSf63kpaSHSXndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTB
        EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxX
        FvUK+DWNmoudF8NAco9/h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXp
        oQIDAQAB
        -----END PUBLIC KEY-----

        """

    /// The P-256 key of RFC 7515 appendix A.3.
    static let rfc7515P256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
        H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
        7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
        -----END PRIVATE KEY-----

        """

    /// Its public half.
    static let rfc7515P256Public = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----

        """

    /// The same P-256 key behind a pass phrase.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi8QsHlSJ2qYQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEGqNCav19cqEXljxAOWBcg0EgZA9
        DWhOVmttWHT/iHALQ+9wGcmGNxox8uShGVQlb4LG8wwhmEL8uMoKytPguYtIoVfH
        QBb8eNimoJyIrbuzKB9Y1CScbVYdNYYPDDOrB+f7oKOBkOViy+vKtYveZDCekYD+
        Qg1hLHbmlACygms/EXlD0OcWgxsXShQTSr/+7JHNT4U7Dhk1/eK9gM91Zui/spg=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// The same P-256 key in the format of SEC 1, which is not PKCS#8.
    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEII6bEJ5xkJi/mASH3x9dd+nLKWBuvtImO19XwhPfhPSyoAoGCCqGSM49
        AwEHoUQDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72b
        focs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END EC PRIVATE KEY-----

        """

    /// A key on P-384.
    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDD8GNFFeMbbQhoXBd4S
        BesTlwDB7sAZvOuc4dmFNk5XQvTBkl5/LiHYViR/dIRB4KqhZANiAAQOAkIa/0fF
        C2dQ5Jg/4TvhpkSY9OlV3K9+v6mijGlO9bKoOguNGHIizmHGYkvYwvOY/f5hTKsp
        CZXjOayEzSwvpoWiQZN0jMQ2JkDwmeo+F65lhJV5qUIzrOI1yjABIuo=
        -----END PRIVATE KEY-----

        """

    /// Its public half.
    static let p384Public = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEDgJCGv9HxQtnUOSYP+E74aZEmPTpVdyv
        fr+pooxpTvWyqDoLjRhyIs5hxmJL2MLzmP3+YUyrKQmV4zmshM0sL6aFokGTdIzE
        NiZA8JnqPheuZYSVealCM6ziNcowASLq
        -----END PUBLIC KEY-----

        """

    /// A key on Bitcoin's curve, as long as one on P-256.
    static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgDQpIvS0NfpIk99/PtXA7
        I8jBynHhyz1o60imbRe5//ChRANCAAQsZLyNosVDFQWwoIyrbDwr4/0ifXeAEmJs
        GzHHteyhhEkbGYaMGT2gR5PCRSfOLtDmmYe3h4AYQ0j0t7QVI1XN
        -----END PRIVATE KEY-----

        """

    /// A key on P-256 whose parameters are spelled out instead of named.
    static let explicitP256 = """
        -----BEGIN PRIVATE KEY-----
        MIIBeQIBADCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAAB
        AAAAAAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA
        ///////////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMV
        AMSdNgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg
        9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8A
        AAAA//////////+85vqtpxeehPO5ysL8YyVRAgEBBG0wawIBAQQgkrBRLR1s4AE0
        mQD2ewyrXuHwecNVnMgGZjgQjAQoEVShRANCAATubOyJDfzZaKvgu2B4axKWW6Qf
        uM2MFZgCCRkUc9M+FQc63lggbTO6oXjhEsKVDT688ob/8mVfLycgkfDKHz9p
        -----END PRIVATE KEY-----

        """

    /// An Ed25519 key.
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ62mDKAKFzfsj8aI5/EX7Ej8dFXXNc7iuf/T8W892Yg
        -----END PRIVATE KEY-----

        """

    /// An RSA key too short to be trusted.
    static let rsa1024 = """
        -----BEGIN PRIVATE KEY-----
        MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAKksALEMdSDwnMTo
        ejZdv049uwpNQuHC3OZxoVbM+iRaOHDq+n/8SX6gSOZPLFtRSLtZmxjrClMZgpa/
        IYy3rMDPs1a3WjO6UNmTFTG3gMmDMflZP4P49cnBV0vzK5ns6JlvVNZmYwHmKSVK
        V1oIsXMFxE+2ygmDmM+dhLSE4A2ZAgMBAAECgYBOLNxg9J3HzAjV4YxgRTAbauFd
        IFjw1MiZ4RaqcuyBEgQVAjEiJaac0lr9usaHqGdQ1FaczDioMBitqsNJMLOuYauh
        cQWCaib2V8ugVP/MdNt0OJXb2DPUTajQIG9Ugeqig1gLyNDjJxO8Wnlb0rH3UBGx
        HDtt1FbRkpslF4tzAQJBANSMDSzhy00GIcYGJ9mrrHi3aosprHrLxf+Go5cgrJZi
        xYDIrEy92PHrxWa54ZZG1YAMoI+usG5PV/dsa4hvFHkCQQDLwdmXh9s6+etzeUrD
        e7gDYy0UR1J5tk4qO/777YlR1INzYdSh/KHXVNHTY0KrFl0pIaZcvJscmhFYvlsa
        gzohAkAicT+BUmWbaa73Y+/5OfSM60v8mRg2HedL7Ql9Z/IPvJm8sMga93i8WzR1
        3RFNRNU8Fs+9+NTmSz05/vu99CIhAkAxNCSpdQM54LQ89GNbhXrQRpjSNs7x2VZS
        2J4glCH/AsSjjlJcs7cZWsA4vdWRnxrsHdYguuLyKzpZJc62Pk5BAkEApLI9ewxc
        xwz1yaMOhhK1sDr9X5NLddlwrLxxblM33hoJ3trlYWzXVYyAuwm9RIoiHowTITD/
        NaMYmQ93MZiXHw==
        -----END PRIVATE KEY-----

        """

    /// Its public half.
    static let rsa1024Public = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCpLACxDHUg8JzE6Ho2Xb9OPbsK
        TULhwtzmcaFWzPokWjhw6vp//El+oEjmTyxbUUi7WZsY6wpTGYKWvyGMt6zAz7NW
        t1ozulDZkxUxt4DJgzH5WT+D+PXJwVdL8yuZ7OiZb1TWZmMB5iklSldaCLFzBcRP
        tsoJg5jPnYS0hOANmQIDAQAB
        -----END PUBLIC KEY-----

        """
}
