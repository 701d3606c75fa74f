/// One step from a stored schema to a proposed one.
package struct SchemaStep: Equatable, Sendable {
    /// The kinds of step. Raw values are shown to clients.
    package enum Operation: String, Sendable {
        case setSchemaVersion
        case addClass, dropClass, renameClass, changeKind, changePrimaryKey
        case addProperty, dropProperty, renameProperty
        case changeType, makeOptional, makeRequired, changeEnum, changeDefault
        case addIndex, dropIndex, addUnique, dropUnique
        case addRequired, dropRequired
        case changeOnDelete, changeMapTo
        /// Links in `mixed` values lead to a class that goes.
        case dropLinks
    }

    package var operation: Operation
    /// The class, by its new name, or by its present one when it goes; nil for the schema itself.
    package var className: String?
    /// The property in the same way; nil for a class.
    package var property: String?
    /// The class's position in the present schema; nil if it is added.
    var source: Int?
    /// Whether a loss is always refused, because keys are not invented.
    var isStrict = false
    /// The number of objects concerned: the objects that would lose something, or all objects of the class.
    package var objectCount = 0
    /// Whether something would be lost.
    package var isLossy = false

    /// A description of the loss for a client.
    package var lossDetail: String {
        let objects = objectCount == 1 ? "1 object" : "\(objectCount) objects"
        let advice =
            isStrict
            ? " Change those objects first."
            : " Change them first, or repeat with allowDataLoss=true."
        let loss =
            switch operation {
            case .dropClass: "Dropping the class '\(className ?? "")' loses its \(objects)."
            case .dropProperty:
                "Dropping the property '\(property ?? "")' loses its value in \(objects)."
            case .makeRequired:
                "The property would be required, and is null in \(objects), which would get its "
                    + "default."
            case .changeEnum: "A value that the enum would not allow is held by \(objects)."
            case .dropLinks: "Links to classes that go are in the property of \(objects)."
            default: "The property's value does not fit its new type in \(objects)."
            }
        return loss + advice
    }
}
