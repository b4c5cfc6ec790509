// As much of Apple's framework as the iOS sample uses, by OpenSSL.

import Foundation

@_silgen_name("SHA256") private func openSSL(
    _ data: UnsafePointer<UInt8>, _ count: Int, _ digest: UnsafeMutablePointer<UInt8>
) -> UnsafeMutablePointer<UInt8>?

public enum SHA256 {
    public static func hash(data: Data) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        _ = openSSL(Array(data), data.count, &digest)
        return digest
    }
}
