import HoldfastObjectJSON
import HoldfastObjectStore

/// The state in which a reply shows an object that was written.
enum ShownObject: Sendable {
    /// As it was copied, without what its reader does not see.
    case object(StoredObject)
    /// As a projection shows it.
    case json([UInt8])
    /// As null, since its reader does not see it.
    case hidden

    /// The copy that is written.
    var object: StoredObject? {
        if case .object(let object) = self { return object }
        return nil
    }

    /// Writes it.
    func write(to writer: inout ObjectWriter) {
        switch self {
        case .object(let object): writer.write(object)
        case .json(let json): writer.json.buffer.append(json)
        case .hidden: writer.json.null()
        }
    }
}
