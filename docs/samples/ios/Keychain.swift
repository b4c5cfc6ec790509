import Foundation
import Security

/// Small values that outlive the app's process, readable on this device only and after its first unlock.
enum Keychain {
    struct Failure: Error { let status: OSStatus }

    static func read<Value: Decodable>(_ name: String) -> Value? {
        var query = item(name)
        query[kSecReturnData as String] = true
        var found: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
        return (found as? Data).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }

    /// Replaces the value in one step, so that a crash leaves the one or the other.
    static func write(_ name: String, _ value: some Encodable) throws {
        let content: [String: Any] = [
            kSecValueData as String: try JSONEncoder().encode(value),
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        var status = SecItemUpdate(item(name) as CFDictionary, content as CFDictionary)
        if status == errSecItemNotFound { status = SecItemAdd(item(name).merging(content) { $1 } as CFDictionary, nil) }
        guard status == errSecSuccess else { throw Failure(status: status) }
    }

    static func forget(_ name: String) { _ = SecItemDelete(item(name) as CFDictionary) }

    private static func item(_ name: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "Account",
            kSecAttrAccount as String: name,
        ]
    }
}
