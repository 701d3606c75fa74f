import HoldfastBytes
import HoldfastObjectStore
import HoldfastThreads

/// A version of the store that answers the reads of one client as long as it is pinned. Reads name it by `snapshot=<id>`.
package struct SnapshotPin: Sendable {
    /// The id: 22 characters of base64url, of random bytes.
    package let id: String
    /// The number of the token that it belongs to; nil if no token is needed.
    let owner: UInt64?
    /// The client with the limit that it counts against; nil for a client without a limit of its own.
    let user: ClientKey?
    /// The pinned version; clients share one for each commit.
    var pinned: PinnedVersion
    /// When the version was the newest, in milliseconds of the monotonic clock.
    let milliseconds: UInt64
    /// The bytes that the data took then.
    let storedByteCount: Int
    /// The note that the version is held, once it is kept.
    var hold: Lease?
    /// Whether it is not kept yet, or not since ``milliseconds``.
    package internal(set) var isNew = true

    package var version: StoreVersion { pinned.version }

    /// The cursor that a client gets for a page under the snapshot: the id stands before it.
    func cursor(_ text: String) -> String { "\(id).\(text)" }

    /// Takes the id from a cursor of a page under a snapshot.
    static func divide(_ cursor: String) -> (id: String, cursor: String)? {
        guard let point = cursor.utf8.firstIndex(of: UInt8(ascii: ".")),
            RandomID.isID(cursor[..<point])
        else { return nil }
        return (String(cursor[..<point]), String(cursor[cursor.index(after: point)...]))
    }
}
