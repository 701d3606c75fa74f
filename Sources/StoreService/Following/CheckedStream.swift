import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// A change stream's definition, checked against one schema. Immutable; safe to use from any thread.
package final class CheckedStream: Sendable {
    package let definition: StreamDefinition
    package let names: SchemaNames
    package let observed: ObservedQuery
    /// The delivered properties of each object; nil for the whole store, where it is everything.
    let selection: FieldSelection?
    /// The projection that shows the objects, if one does.
    let projection: CompiledProjection?
    /// The properties whose changes alone are told of an object that stays: those of a projection, or of key
    /// paths; nil for all.
    let compared: FieldSelection?
    /// The property that alone is followed of an object, if one is.
    let property: ObservedProperty?
    /// The result that is followed as a whole, if one is.
    let result: CheckedResult?

    init(
        definition: StreamDefinition, names: SchemaNames, observed: ObservedQuery,
        selection: FieldSelection?, projection: CompiledProjection?, compared: FieldSelection?,
        property: ObservedProperty? = nil, result: CheckedResult? = nil
    ) {
        self.definition = definition
        self.names = names
        self.observed = observed
        self.selection = selection
        self.projection = projection
        self.compared = compared
        self.property = property
        self.result = result
    }

    /// The key by which it shares evaluation and encoding with others.
    ///
    /// - `isUntested`: Whether workers test its filter.
    func channelKey(isUntested: Bool) -> StreamChannel.Key {
        StreamChannel.Key(query: observed, definition: definition, isUntested: isUntested)
    }

    /// The name of the class whose outbox is followed; empty for all else.
    var className: String {
        if case .outbox(let name) = definition.target { name } else { "" }
    }

    /// Whether changes of the schema are among some that void what a client holds: of classes that the query reads.
    func isReset(by changes: FoldedChanges) -> Bool {
        let shapes = changes.changedShapes
        guard let changed = shapes.classes else { return true }
        guard let read = observed.readClasses else { return !changed.isEmpty }
        return read.contains { changed.contains(names.schema.classes[$0].number) }
            || (projection?.isShown(byAny: shapes.projections) ?? false)
    }

    /// The same stream for a view of a schema: checked again only where that is another one.
    ///
    /// - Throws: ``RequestFault`` as ``StreamDefinition/checked(_:)``.
    func under(_ schema: RowSchema, _ served: ServedStore) throws(RequestFault) -> CheckedStream {
        if names.schema === schema { return self }
        let checked = try definition.checked(served.names(of: schema), served.limits)
        checked.observed.prepare()
        return checked
    }
}
