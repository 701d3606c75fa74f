import HoldfastObjectModel
import HoldfastRows

/// A condition with `$user` in it, checked for one schema: of a class's objects, or of the user alone. Immutable; any
/// thread may use it.
package struct Rule: Sendable {
    package let text: String
    /// The values of its user that it asks for, each once.
    package let references: [UserReference]
    /// The condition with samples in place of users' values; nil if it only depends on the user. It has the paths and
    /// the operators of every user's condition, and so shows its dependencies and usable indexes.
    package let sample: Predicate?
    private let query: ParsedQuery
    private let root: QueryRoot
    private let usersClass: Int?
    let schema: RowSchema
    let names: Set<RuleName>
    /// The places of the text that ask for values of the user.
    let userPlaces: [UserPlace]

    /// Parses and checks a rule.
    ///
    /// Cost: linear in the text.
    ///
    /// - Parameters:
    ///   - text: A filter without SORT, DISTINCT, LIMIT, arguments and `now()`.
    ///   - rootClass: The class of the objects that the rule is about; nil for a condition that concerns only the user.
    ///   - usersClass: The class of the users' objects; nil if users have no objects.
    ///   - schema: The schema that it is checked for.
    ///   - budget: The budget that pays for parsing and checking.
    /// - Throws: ``QueryError`` with the column in `text`.
    package init(
        _ text: String, rootClass: Int?, usersClass: Int?, schema: RowSchema,
        within budget: Budget = Budget()
    ) throws(QueryError) {
        self.text = text
        self.usersClass = usersClass
        self.schema = schema
        // Of the user alone: no name is a property's.
        root = rootClass.map { .objects(classIndex: $0) } ?? .values(.mixed)
        query = try ParsedQuery(text, on: root, schema, within: budget)
        guard query.syntax.suffixes.isEmpty else {
            throw query.source.fault(
                .syntax, "A rule is only a condition, without SORT, DISTINCT and LIMIT.", at: 0)
        }
        let scope = RuleScope(usersClass: usersClass, facts: nil)
        sample = try Self.checker(query, root, schema, scope, within: budget)
            .predicate(query.syntax.predicate).withoutConstants
        references = scope.references
        names = scope.names
        userPlaces = scope.places
    }

    var source: SourceText { query.source }

    /// Makes the condition for a user: false as a whole if the user lacks a value that the rule names.
    ///
    /// Cost: linear in the text and in the user's values.
    package func predicate(for user: some UserFacts) -> Predicate {
        let scope = RuleScope(usersClass: usersClass, facts: user)
        let checker = Self.checker(query, root, schema, scope)
        // A faulty value of a user counts as lacking; all other faults were found when the rule was checked.
        guard let predicate = try? checker.predicate(query.syntax.predicate), !scope.isLacking
        else { return .constant(false) }
        return predicate.simplified
    }

    /// The classes and properties that it names, in the order of its text, each link with the class behind it and the
    /// key of that, by which links are compared.
    package var meaning: [SchemaRenames.Name] {
        names.sorted { $0.start < $1.start }.flatMap { name -> [SchemaRenames.Name] in
            guard let rowClass = schema.rowClass(named: name.className) else { return [] }
            guard let property = name.property, let member = rowClass.member(named: property)
            else { return rowClass.keyNames }
            let declared = rowClass.definition.properties[member]
            let own = [SchemaRenames.Name(name.className, declared.name)]
            let behind = rowClass.members[member].classIndex
            if case .linkingObjects(let origin, let back) = declared.type {
                return own + [SchemaRenames.Name(origin, back)] + schema.classes[behind].keyNames
            }
            guard rowClass.members[member].storage.element == .link else { return own }
            return own + schema.classes[behind].keyNames
        }
    }

    /// Makes the text that says the same under the names of another schema.
    ///
    /// - Throws: ``QueryError`` for a new name that has no place in a text, as a word of the language.
    package func text(after renames: SchemaRenames) throws(QueryError) -> String {
        var bytes = query.source.bytes
        for name in names.sorted(by: { $0.start > $1.start }) {
            guard let new = name.renamed(renames) else { continue }
            var lexer = Lexer(query.source)
            lexer.position = name.start
            let token = try lexer.next()
            let isQuoted = token.kind == .string
            guard isQuoted || !CompiledQuery.isReserved(new[...]) else {
                throw query.source.fault(
                    .unsupported,
                    "'\(new)' is a word of the query language: a rule can't name it.",
                    at: name.start)
            }
            let text =
                isQuoted
                ? "'\(new)'"
                : new.split(separator: " ", omittingEmptySubsequences: false)
                    .joined(separator: "\\ ")
            bytes.replaceSubrange(name.start..<token.end, with: Array(text.utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func checker(
        _ query: ParsedQuery, _ root: QueryRoot, _ schema: RowSchema, _ scope: RuleScope,
        within budget: Budget = Budget()
    ) -> Checker {
        var checker = Checker(
            schema: schema, root: root, source: query.source, arguments: [],
            work: CheckerWork(within: budget))
        checker.rule = scope
        return checker
    }
}

extension RowClass {
    /// The class, with the key by which its objects are named.
    package var keyNames: [SchemaRenames.Name] {
        let name = definition.name
        let key = primaryKeyIndex.map { SchemaRenames.Name(name, definition.properties[$0].name) }
        return [SchemaRenames.Name(name)] + (key.map { [$0] } ?? [])
    }
}
