import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// The operations of a transaction, read under one schema.
struct TransactionPlan {
    var operations: [TransactionOperation] = []
    /// The operations that others refer to: which operation each number stands for.
    var named: [Int] = []
    /// The version after which nothing may have been committed.
    var version: StoreVersion?
}

/// One operation of a transaction.
struct TransactionOperation {
    /// The kind of an operation, by the name that clients use.
    enum Kind: String, CaseIterable {
        /// Creates an object; one that is there is an error.
        case create
        /// Creates or replaces an object.
        case put
        /// Creates an object, or changes the stated properties of one that is there.
        case merge
        /// Changes an object that is there, by a merge patch or a JSON patch.
        case patch
        case delete
    }

    /// Which object it is about.
    enum Target {
        /// The primary key, or the object key as an int if the class has no primary key.
        case id(Value)
        /// An object that another operation makes and that the store gives its key, by its number.
        case named(Int)
        /// A new object with a key from the store: of a class without primary key, or of a class with objects it numbers.
        case new
    }

    var kind: Kind
    var rowClass: RowClass
    var target: Target
    var precondition: Precondition
    /// The operation's statement of the object; nil if ``patch`` has it or the operation has no value.
    var draft: ObjectDraft?
    var patch: JSONPatch?
    /// The changes that are stated in the names of a projection, in place of ``draft`` and ``patch``.
    var projected: ProjectedPatch?
    /// The selection that shows the object in the operation's projection; nil if the operation names a class.
    var shown: FieldSelection?
    /// The number under which links of the transaction name the object.
    var number: Int?
}
