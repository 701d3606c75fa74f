import CHoldfastSodium

/// Hashes passwords with Argon2id, on one of the threads of a ``PasswordHasher``.
package final class PasswordWorker {
    /// Passes over the memory, and its bytes, of each hash: see decision 37.
    private static let passCount: UInt32 = 3
    private static let memoryByteCount = 48 << 20

    /// The text of a hash that no password has, with which those of unknown accounts are compared, so that they take as long as those of
    /// known ones.
    private static let nobodysHash =
        "$argon2id$v=19$m=\(memoryByteCount >> 10),t=\(passCount),p=1$"
        + String(repeating: "A", count: 22) + "$" + String(repeating: "A", count: 43)

    private let count: () -> Void

    /// Makes the worker of a thread.
    ///
    /// - `count`: Is called for each hash that is asked for.
    init(counting count: @escaping () -> Void) { self.count = count }

    /// The hash of a password, as a text that says how it was made; nil when there was no memory for it.
    package func hash(_ password: String) -> String? {
        count()
        return Self.hash(password)
    }

    /// Whether a password is that of a hash; nil when there was no memory to find out.
    ///
    /// - `hash`: The hash; nil where there is none. Then it is wrong, and the same work is done.
    package func isRight(_ password: String, for hash: String?) -> Bool? {
        count()
        let text = hash ?? Self.nobodysHash
        var password = password
        let answer = password.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                shim_password_is_right(text, bytes.baseAddress, bytes.count)
            }
        }
        return answer < 0 ? nil : answer == 1 && hash != nil
    }

    private static func hash(_ password: String) -> String? {
        var password = password
        return withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: shim_password_text_count
        ) { text -> String? in
            guard let base = text.baseAddress else { return nil }
            let failure = password.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    shim_password_hash(
                        base, bytes.baseAddress, bytes.count, passCount, memoryByteCount)
                }
            }
            return failure == 0 ? String(cString: base) : nil
        }
    }
}
