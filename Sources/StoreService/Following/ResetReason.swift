import HoldfastObjectJSON
import HoldfastObjectStore

/// Why a stream restarts.
enum ResetReason: String, Sendable {
    case start
    case overrun = "fell-behind"
    case cursorExpired = "cursor-expired"
    case schemaChanged = "schema-changed"
    case restored
    case accessChanged = "access-changed"

    /// Tells why the change log does not lead on from a version.
    ///
    /// - Throws: ``RequestFault`` when storage fails.
    init(_ gap: FoldedChanges.Gap, _ served: ServedStore) throws(RequestFault) {
        switch gap {
        case .storage(let error): throw served.fault(.storage(error))
        case .expired: self = .cursorExpired
        case .future: self = .restored
        }
    }
}
