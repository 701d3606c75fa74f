import ObjectJSON
import ObjectStore

/// The deletion of one object, with the embedded objects that it owns and every link to it.
package struct ObjectDeletion: WriteBody, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.
    private let address: ObjectAddress
    private let precondition: Precondition
    private let served: ServedStore
    private var target: ObjectTarget?

    /// Makes a deletion of what `address` names.
    package init(_ address: ObjectAddress, _ precondition: Precondition, in served: ServedStore) {
        self.address = address
        self.precondition = precondition
        self.served = served
    }

    package mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        target = try address.target(names, scratch)
    }

    package func run(_ transaction: WriteTransaction) throws(WriteFailure) {
        guard let target else { return }
        try WriteFailure.storing { () throws(StoreError) in
            let key = try transaction.require(target, precondition).key
            try transaction.delete(target.rowClass, key: key, precondition: precondition)
        }
    }

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        WriteReply(writer.version)
    }

    package func fault(_ error: StoreError) -> RequestFault { served.fault(error) }
}
