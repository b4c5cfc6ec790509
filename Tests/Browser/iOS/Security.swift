// As much of Apple's framework as the iOS sample uses: a keychain in the file that KEYCHAIN names.

import Foundation

public typealias OSStatus = Int32
public typealias CFDictionary = [String: Any]
public typealias CFTypeRef = Any

public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300
public let kSecClass = "class"
public let kSecClassGenericPassword = "genp"
public let kSecAttrService = "svce"
public let kSecAttrAccount = "acct"
public let kSecAttrAccessible = "pdmn"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = "cku"
public let kSecValueData = "v_Data"
public let kSecReturnData = "r_Data"

private let file = URL(fileURLWithPath: ProcessInfo.processInfo.environment["KEYCHAIN"] ?? "keychain.json")

private func items() -> [String: String] {
    (try? JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))) ?? [:]
}

private func keep(_ items: [String: String]) -> OSStatus {
    do { try JSONEncoder().encode(items).write(to: file) } catch { return -1 }
    return errSecSuccess
}

private func name(_ query: CFDictionary) -> String { query[kSecAttrAccount] as? String ?? "" }

private func text(_ attributes: CFDictionary) -> String {
    String(decoding: attributes[kSecValueData] as? Data ?? Data(), as: UTF8.self)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    guard let found = items()[name(query)] else { return errSecItemNotFound }
    result?.pointee = Data(found.utf8)
    return errSecSuccess
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemUpdate(_ query: CFDictionary, _ attributes: CFDictionary) -> OSStatus {
    var all = items()
    guard all[name(query)] != nil else { return errSecItemNotFound }
    all[name(query)] = text(attributes)
    return keep(all)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    var all = items()
    guard all[name(attributes)] == nil else { return -25299 }
    all[name(attributes)] = text(attributes)
    return keep(all)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    var all = items()
    return all.removeValue(forKey: name(query)) == nil ? errSecItemNotFound : keep(all)
}
