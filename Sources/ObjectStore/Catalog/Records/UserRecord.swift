import HoldfastBytes

/// The record of a user that is barred, or was barred before a version that the change log still has. It lies under the user's id
/// (``StoreKey``).
///
///     field (as ``RecordCoder`` writes it)
///     1 byte:  the form, 2; 1 before format 8
///     1 byte:  1 when the user is blocked, else 0
///     8 bytes: seconds since 1970 before which credentials are void; the earliest time without such a time
///     8 bytes: the access version; not in form 1
package struct UserRecord: CodedRecord, Equatable, Sendable {
    package var id: String
    package var isBlocked: Bool
    /// The time before which credentials are void, in seconds since 1970; ``Int64/min`` without such a time.
    package var signedInAfter: Int64
    /// The version at which the user's last bar was taken away or changed; 0 without one.
    package internal(set) var accessVersion: UInt64 = 0

    /// The form without ``accessVersion``, and the form that is written.
    private static let forms: ClosedRange<UInt8> = 1...2

    /// The seconds since 1970 before which every sign-in is void; ``Int64/min`` without a bar, ``Int64/max`` for a blocked user.
    package var horizon: Int64 { isBlocked ? .max : signedInAfter }

    package init(id: String, isBlocked: Bool, signedInAfter: Int64) {
        self.id = id
        self.isBlocked = isBlocked
        self.signedInAfter = signedInAfter
    }

    /// Reads the entry under a key; nil when it is damaged, or of a form that this program does not know.
    init?(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let id = String(validating: key.dropFirst(StoreKey.userPrefix.count), as: UTF8.self)
        self.init(id ?? "", value)
    }

    /// Reads the entry of a user; nil as above.
    init?(_ id: String, _ value: UnsafeRawBufferPointer) {
        self.init(id: id, isBlocked: false, signedInAfter: .min)
        guard !id.isEmpty, read(value) else { return nil }
    }

    mutating func code(_ coder: inout RecordCoder) {
        var form = Self.forms.upperBound
        coder.code(&form)
        if !Self.forms.contains(form) { coder.fail() }
        var flag: UInt8 = isBlocked ? 1 : 0
        coder.code(&flag)
        if flag > 1 { coder.fail() }
        isBlocked = flag == 1
        coder.code(&signedInAfter)
        if form > 1 { coder.code(&accessVersion) }
    }
}
