import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import HoldfastText

/// A projection compiled for one schema: positions instead of names, and the selection of replies. Immutable;
/// safe to use from any thread.
package final class CompiledProjection: Sendable {
    /// One property.
    package struct Property: Sendable {
        package let name: String
        /// The way to the value: in which class, which property.
        package let steps: [Step]
        /// The count or aggregate of the last of them, from the object that has it; nil for its value.
        let calculation: ValuePath?
        /// The projection that shows the objects at the end; nil for the value that stands there itself.
        package let projection: CompiledProjection?

        /// The property of the base class that the way begins with.
        package var firstMember: Int { steps[0].member }
    }

    /// One step of a path.
    package struct Step: Hashable, Sendable {
        /// The class, by position in the schema.
        let classIndex: Int
        /// The property, by position in its class.
        package let member: Int
    }

    /// The projection as it was defined.
    package let definition: Projection
    /// The class of the shown objects.
    package let rowClass: RowClass
    /// Its properties in the order of the definition.
    package let properties: [Property]
    /// The properties by name, in the same order.
    package let names: NameTable
    /// The selection of an object for requests without `fields`.
    package let selection: FieldSelection
    /// The properties of the base class that the ways begin with.
    let firstMembers: MemberSet
    private let schema: RowSchema

    private init(
        _ definition: Projection, _ rowClass: RowClass, _ properties: [Property],
        _ schema: RowSchema
    ) {
        self.definition = definition
        self.rowClass = rowClass
        self.properties = properties
        self.schema = schema
        names = NameTable(properties.map(\.name))
        selection = FieldSelection(
            rowClass,
            Self.identity(of: rowClass) + properties.compactMap { Self.part(of: $0, schema) })
        var members = MemberSet()
        for property in properties { members.insert(property.firstMember) }
        firstMembers = members
    }

    /// Compiles the projections of a schema by name; each holds in it.
    static func all(of schema: RowSchema) -> [ExactText: CompiledProjection] {
        var compiled: [ExactText: CompiledProjection] = [:]
        if schema.projections.isEmpty { return compiled }
        var definitions: [ExactText: Projection] = [:]
        for definition in schema.projections { definitions[definition.name] = definition }
        // As deep as projections nest, which the definitions are checked for.
        func compile(_ name: String) -> CompiledProjection? {
            if let known = compiled[name] { return known }
            guard let definition = definitions[name],
                let rowClass = schema.rowClass(named: definition.className)
            else { return nil }
            let properties = definition.properties.compactMap { property -> Property? in
                let steps = steps(property.path, from: rowClass, schema)
                var calculation: ValuePath?
                if steps.count < property.path.count {
                    guard let last = steps.last else { return nil }
                    calculation = try? ValuePath(
                        dotted: property.path[(steps.count - 1)...].joined(separator: "."),
                        rootClass: last.classIndex, schema: schema)
                    guard calculation != nil else { return nil }
                }
                return Property(
                    name: property.name, steps: steps, calculation: calculation,
                    projection: property.projection.flatMap { compile($0) })
            }
            let made = CompiledProjection(definition, rowClass, properties, schema)
            compiled[name] = made
            return made
        }
        for definition in schema.projections { _ = compile(definition.name) }
        return compiled
    }

    private static func steps(_ path: [String], from rowClass: RowClass, _ schema: RowSchema)
        -> [Step]
    {
        var steps: [Step] = []
        var rowClass = rowClass
        for name in path {
            guard let member = rowClass.names.position(of: name) else { break }
            steps.append(Step(classIndex: rowClass.index, member: member))
            let next = rowClass.members[member].classIndex
            if next >= 0 { rowClass = schema.classes[next] }
        }
        return steps
    }

    // MARK: Selections

    /// `$id`, where nothing else names an object.
    private static func identity(of rowClass: RowClass) -> [FieldSelection.Part] {
        rowClass.definition.kind == .object && rowClass.primaryKeyIndex == nil
            ? [FieldSelection.Part(kind: .id, name: "$id")] : []
    }

    /// Makes the step of a selection that shows a property.
    private static func part(of property: Property, _ schema: RowSchema) -> FieldSelection.Part? {
        guard let last = property.steps.last else { return nil }
        let holder = schema.classes[last.classIndex]
        var shown = property.projection?.selection
        if holder.members[last.member].showsEmbedded {
            let target = schema.classes[holder.members[last.member].classIndex]
            shown = (shown ?? FieldSelection(everythingOf: target)).withOwner()
        }
        var part: FieldSelection.Part? = FieldSelection.part(
            holder, last.member, expands: property.projection != nil, nested: shown)
        if let path = property.calculation {
            part = FieldSelection.Part(kind: .calculated, name: "", member: last.member, path: path)
        }
        for (index, step) in property.steps.enumerated().dropLast().reversed() {
            guard let inner = part else { return nil }
            let rowClass = schema.classes[step.classIndex]
            let next = schema.classes[property.steps[index + 1].classIndex]
            part = FieldSelection.Part(
                kind: rowClass.members[step.member].storage.shape == .single
                    ? .through : .throughEach,
                name: "", member: step.member, nested: FieldSelection(next, [inner]))
        }
        part?.name = property.name
        return part
    }

    /// Makes the selection of an object for the names in `fields`: projected ones, `*`, `$id` and `$version`.
    ///
    /// - `parameter`: The parameter that states them.
    /// - Throws: ``RequestFault`` `.malformed` with the nearest name.
    package func selection(
        fields: String?, _ parameter: PathParameter = .fields
    ) throws(RequestFault) -> FieldSelection {
        guard let fields else { return selection }
        var parts: [FieldSelection.Part] = []
        var names: Set<ExactText> = []
        func add(_ part: FieldSelection.Part?) {
            if let part, names.insert(part.name) { parts.append(part) }
        }
        let isObject = rowClass.definition.kind == .object
        for part in fields.split(separator: ",", omittingEmptySubsequences: false) {
            let field = part.droppingBlanks
            switch field {
            case "*":
                for part in Self.identity(of: rowClass) { add(part) }
                for property in properties { add(Self.part(of: property, schema)) }
            case "$id" where isObject: add(FieldSelection.Part(kind: .id, name: "$id"))
            case "$version" where isObject:
                add(FieldSelection.Part(kind: .version, name: "$version"))
            default:
                guard let property = properties.first(where: { $0.name.isSame(as: String(field)) })
                else { throw unknownField(String(field), parameter) }
                add(Self.part(of: property, schema))
            }
        }
        return FieldSelection(rowClass, parts)
    }

    /// Makes the selection of a property that has objects of the base class: `{"value":…}`.
    package func selection(ofMember member: Int, of owner: RowClass) -> FieldSelection {
        var part = FieldSelection.part(owner, member, expands: true, nested: selection)
        part.name = "value"
        return FieldSelection(owner, [part])
    }

    /// Whether one of some projections, by their names, is this one or shows a part of it.
    package func isShown(byAny projections: Set<String>) -> Bool {
        projections.contains(definition.name)
            || properties.contains { $0.projection?.isShown(byAny: projections) ?? false }
    }

    private func unknownField(_ name: String, _ parameter: PathParameter) -> RequestFault {
        let shown = RequestFault.shown(name)
        let detail = "Projection '\(definition.name)' has no property '\(shown)'."
        return .single(
            .malformed, "unknown-property", detail, parameter: parameter.rawValue,
            hint: NearestName.of(name, among: properties.map(\.name) + ["$id", "$version"]))
    }

    // MARK: Queries

    /// Returns the same error, saying why where it is about a name that only the projection has.
    ///
    /// - `text`: The text that was refused.
    package func explaining(_ error: QueryError, in text: String) -> QueryError {
        guard error.kind == .unknownProperty else { return error }
        let rest = text.unicodeScalars.dropFirst(error.column - 1)
        let named = rest.prefix {
            $0 == "_" || $0 == "-" || $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        let name = String(String.UnicodeScalarView(named))
        guard rowClass.names.position(of: name) == nil,
            let property = definition.properties.first(where: { $0.name.isSame(as: name) })
        else { return error }
        var error = error
        error.message =
            "'\(name)' exists only in the projection '\(definition.name)'; queries use the names of "
            + "class '\(rowClass.definition.name)', here '\(property.pathText)'."
        error.hint = property.pathText
        return error
    }
}
