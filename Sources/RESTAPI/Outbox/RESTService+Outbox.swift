import HTTPServer
import ObjectJSON
import ObjectStore
import Rows

extension RESTService {
    /// The class whose name stands first in the path, of kind `asymmetric`.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for a class of another kind.
    func asymmetricClass(_ request: Request, _ names: SchemaNames) throws(RequestFault) -> RowClass
    {
        let rowClass = try names.anyClass(named: request.className)
        guard rowClass.isAsymmetric else { throw .notAsymmetric(rowClass) }
        return rowClass
    }

    /// Reads a place in the outbox of a class.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for what is none of this class or not reached yet, `.expired` for one of
    ///   another epoch.
    func outboxCursor(
        _ text: String, _ parameter: String, of rowClass: RowClass, in read: ReadTransaction
    ) throws(RequestFault) -> OutboxCursor {
        guard let cursor = OutboxCursor(text) else {
            throw .parameter(
                parameter,
                "'\(parameter)' is the \"through\" of a reply, or the id of an event, of this outbox."
            )
        }
        guard cursor.epoch == store.epoch else {
            throw RequestFault(
                .expired, "cursor-expired",
                "This place is of another epoch: the store was restored or replaced. Consume the outbox "
                    + "from its beginning.")
        }
        guard cursor.classNumber == rowClass.number else {
            throw .parameter(
                parameter,
                "This place is one in the outbox of another class than '\(rowClass.definition.name)'."
            )
        }
        let state = try served.stored { () throws(StoreError) in try read.classState(rowClass) }
        guard cursor.key < state.nextKey else {
            throw .parameter(
                parameter, "This place is one that the outbox has not reached yet.")
        }
        return cursor
    }
}

extension RequestFault {
    /// The class has no outbox.
    static func notAsymmetric(_ rowClass: RowClass) -> RequestFault {
        RequestFault(
            .unsupportedOperation, "not-asymmetric",
            "Class '\(rowClass.definition.name)' is of kind '\(rowClass.definition.kind.rawValue)'; only "
                + "classes of kind 'asymmetric' have an outbox.")
    }
}
