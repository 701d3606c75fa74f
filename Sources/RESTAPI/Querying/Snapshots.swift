import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// Answers a read when the store has the version that `minVersion` asks for, of the version that `snapshot` names.
    ///
    /// - `text`: Of a page, whose cursor goes on under the snapshot of the page before.
    /// - `answer`: Gets the pin of the version that is to be read; nil for the newest.
    /// - Throws: ``RequestFault`` `.malformed` for faulty and contradicting parameters, `.expired` for a snapshot that has ended.
    func whenReadable(
        _ request: Request, cursor text: QueryText? = nil,
        _ answer: @escaping @Sendable (SnapshotPin?) throws(RequestFault) -> Outcome
    ) throws(RequestFault) -> Outcome {
        let minimum = try minVersion(request)
        let caller = caller(request)
        if let id = try snapshotID(request, text) {
            let pin = try served.pins.find(id, of: caller)
            guard pin.version.number >= minimum else {
                throw .parameter(
                    "minVersion",
                    "The snapshot has version \(pin.version), which is older than 'minVersion'; leave one of the two "
                        + "out.")
            }
            return try answer(pin)
        }
        let isPinned = request[query: "snapshot"] != nil
        return try whenAtVersion(minimum) { () throws(RequestFault) in
            let pins = self.served.pins
            return try answer(
                isPinned ? try self.served.mappingStoreErrors(pins.begin(for: caller)) : nil)
        }
    }

    /// The snapshot that a read asks for; nil without one, and for a new one.
    private func snapshotID(
        _ request: Request, _ text: QueryText?
    ) throws(RequestFault) -> String? {
        guard let stated = request[query: "snapshot"], stated != "new" else {
            return text?.snapshot
        }
        let id = stated.string
        guard RandomID.isID(id) else {
            throw .parameter(
                "snapshot",
                "'snapshot' is 'new', or an id from the header Holdfast-Snapshot of a reply.")
        }
        if let text, let other = text.snapshot, other != id {
            throw text.fault(
                "cursor",
                "The cursor belongs to a page of another snapshot; leave 'snapshot' out, or begin again "
                    + "without the cursor.", code: "invalid-cursor")
        }
        return id
    }
}

extension Response {
    /// The same reply with the snapshot that it was read under, if there is one; one that has just been made is kept
    /// from then on.
    ///
    /// - Throws: ``RequestFault`` `.unavailable` when too many versions are kept.
    consuming func under(
        _ pin: SnapshotPin?, _ served: ServedStore
    ) throws(RequestFault) -> Response {
        guard let pin else { return self }
        if pin.isNew { try served.mappingStoreErrors(served.pins.keep(pin)) }
        headers.add(.holdfastSnapshot, pin.id)
        // Another client's token reads something else, or nothing, at the same address.
        headers.add(.cacheControl, "private, no-cache" as StaticString)
        return self
    }
}
