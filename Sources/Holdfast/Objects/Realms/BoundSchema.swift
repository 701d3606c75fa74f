import HoldfastRows

/// The classes of a realm's program, bound to one version of the store's schema. Immutable; any thread may use it.
final class BoundSchema: Sendable {
    let rows: RowSchema
    /// By the position of the table; nil for tables without a class in the program.
    let byIndex: [ClassBinding?]
    private let byType: [ObjectIdentifier: ClassBinding]

    /// Nil when the schema lacks something that the classes have.
    init?(_ models: [ModelClass], _ rows: RowSchema) {
        self.rows = rows
        var byIndex = [ClassBinding?](repeating: nil, count: rows.classes.count)
        var byType: [ObjectIdentifier: ClassBinding] = [:]
        for model in models {
            guard let rowClass = rows.rowClass(named: model.name),
                let binding = ClassBinding(model, rowClass)
            else { return nil }
            byIndex[rowClass.index] = binding
            byType[ObjectIdentifier(model.type)] = binding
        }
        self.byIndex = byIndex
        self.byType = byType
    }

    /// The binding of a class; nil if the realm does not have the class.
    func binding(of type: ObjectBase.Type) -> ClassBinding? { byType[ObjectIdentifier(type)] }
}
