import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import Synchronization

/// The access document of a running service, in step with its store. Thread-safe.
///
/// Only this process has the store, so that it knows of every change: documents are set through it, and a change of the schema
/// is noticed by the schema that rules are asked for.
package final class AccessControl: Sendable {
    private struct State {
        var stored: StoredDocument?
        /// The rules of the document for the schema that was asked for last; nil where it does not hold there.
        var rules: AccessRules?
        var schema: RowSchema?
        /// The sights of the rules for the views that asked: equal for users whose values that rules read are equal.
        var sights: [AccessView: Sight] = [:]
        /// The schema without names that are unknown to somebody.
        var parts: [UnknownNames: RowSchema] = [:]
    }

    /// The most sights that are kept, and the most schemas.
    private static let sightCountMax = 4096
    private static let partCountMax = 256

    private let store: Store
    private let state: Mutex<State>
    /// The sights of the principals that asked.
    let known = KnownSights()
    private let isSet: Atomic<Bool>
    private let hasRoleForAnyone: Atomic<Bool>
    private let fault: @Sendable (StoreError) -> RequestFault
    private let observers = Mutex<[@Sendable () -> Void]>([])

    /// Reads the document of a store; users may do nothing where it can't be read.
    ///
    /// - `fault`: Makes the fault of a failed operation, and reports what callers are not told.
    package init(_ store: Store, fault: @escaping @Sendable (StoreError) -> RequestFault) {
        self.store = store
        self.fault = fault
        do {
            let stored = try store.accessDocument()
            state = Mutex(State(stored: stored))
            isSet = Atomic(stored != nil)
            let document = stored.flatMap { try? AccessReader.read(text: $0.text) }
            hasRoleForAnyone = Atomic(document?.isForAnyone ?? false)
            // What happens before a user asks is logged for them, too.
            if stored != nil { _ = try? rules(for: store.catalog.rows) }
        } catch {
            // Reported. What can't be read allows nothing.
            _ = fault(error)
            state = Mutex(State())
            isSet = Atomic(true)
            hasRoleForAnyone = Atomic(false)
        }
    }

    /// Reads the document, and what its author should know of it, which is a fault where it does not hold in the schema; nil where
    /// there is none.
    package func document() throws(RequestFault)
        -> (revision: UInt64, document: AccessDocument, warnings: [RequestFault.Entry])?
    {
        let stored: StoredDocument?
        do { stored = try store.accessDocument() } catch { throw fault(error) }
        guard let stored else { return nil }
        let document = try AccessReader.read(text: stored.text)
        let warnings: [RequestFault.Entry]
        do throws(RequestFault) {
            warnings = try AccessRules(
                document, revision: stored.revision, schema: store.catalog.rows
            ).warnings
        } catch {
            warnings = error.errors
        }
        return (stored.revision, document, warnings)
    }

    /// Whether there is a document. Cost: an atomic load.
    package var hasDocument: Bool { isSet.load(ordering: .acquiring) }

    /// Whether a role is for anyone, and not for users alone. Cost: an atomic load.
    package var isForAnyone: Bool { hasRoleForAnyone.load(ordering: .acquiring) }

    /// The rules for a schema; nil where there is no document, or none that holds in it. Checked once for a schema.
    package func rules(for schema: RowSchema) throws(RequestFault) -> AccessRules? {
        guard hasDocument else {
            state.withLock { state in
                if state.stored == nil, state.schema !== schema { state = State(schema: schema) }
            }
            return nil
        }
        let (known, isKnown) = state.withLock {
            ($0.rules, $0.stored != nil && $0.schema === schema)
        }
        if isKnown { return known }
        // A change of the schema may have changed the document with it.
        let stored: StoredDocument?
        do { stored = try store.accessDocument() } catch { throw fault(error) }
        let rules = stored.flatMap { stored in
            (try? AccessReader.read(text: stored.text)).flatMap { document in
                try? AccessRules(document, revision: stored.revision, schema: schema)
            }
        }
        state.withLock { state in
            if let stored, stored.revision < state.stored?.revision ?? 0 { return }
            state = State(stored: stored, rules: rules, schema: schema)
            if let rules { store.keepFormerValues(of: rules.kept) }
        }
        return rules
    }

    /// Has `body` run whenever other rules hold, on the thread that set them.
    package func observe(_ body: @escaping @Sendable () -> Void) {
        observers.withLock { $0.append(body) }
    }

    /// The values of a principal that rules ask for, on a view of the bare store.
    func values(
        of principal: Principal, _ rules: AccessRules, on read: ReadTransaction
    ) throws(RequestFault) -> [UserValue?] {
        if rules.references.isEmpty { return [] }
        do throws(StoreError) {
            let facts = try PrincipalFacts(principal, usersClass: rules.usersClass, on: read)
            return rules.references.map { facts.value(of: $0) }
        } catch {
            throw fault(error)
        }
    }

    /// Makes what a principal may do on a view of the bare store; nil where there is no document. One that does not hold in the
    /// view's schema allows nothing.
    package func view(
        for principal: Principal, on read: ReadTransaction
    ) throws(RequestFault) -> AccessView? {
        hasDocument ? try known(of: principal, on: read).view : nil
    }

    /// The view of a principal, with the values that it was found by; nothing where no document holds.
    private func known(
        of principal: Principal, on read: ReadTransaction
    ) throws(RequestFault) -> (view: AccessView, rules: AccessRules?, facts: PrincipalFacts?) {
        let rules = try rules(for: read.rows)
        if let token = principal.token {
            return (AccessView(token.right, principal.classes, in: read.rows), nil, nil)
        }
        guard let rules else { return (.nothing, nil, nil) }
        do throws(StoreError) {
            let facts = try PrincipalFacts(principal, usersClass: rules.usersClass, on: read)
            var view = rules.view(for: facts, isUser: principal.user != nil)
            view.limit(to: principal.classes, in: read.rows)
            return (view, rules, facts)
        } catch {
            throw fault(error)
        }
    }

    /// Makes what a principal may read on a view of the bare store. Without a document that is nothing.
    func sight(for principal: Principal, on read: ReadTransaction) throws(RequestFault) -> Sight {
        sight(of: try known(of: principal, on: read), on: read)
    }

    /// Makes what a principal may do in a transaction that begins from a view of the bare store. Without a document that is nothing.
    func rights(
        for principal: Principal, on read: ReadTransaction
    ) throws(RequestFault) -> WriteRights {
        let known = try known(of: principal, on: read)
        let view = known.view
        return WriteRights(sight: sight(of: known, on: read)) { view.writing($0) }
    }

    private func sight(
        of known: (view: AccessView, rules: AccessRules?, facts: PrincipalFacts?),
        on read: ReadTransaction
    ) -> Sight {
        let (view, rules, facts) = known
        let known = state.withLock { $0.schema === read.rows ? $0.sights[view] : nil }
        if let known { return known }
        var classes: [Int: ClassSight] = [:]
        for rowClass in read.rows.classes {
            classes[rowClass.index] = ClassSight(
                roles: view.shown(rowClass.index).map { part in
                    ClassSight.Role(
                        rule: part.read == .constant(true) ? nil : part.read,
                        hidden: MemberSet(part.hidden))
                })
        }
        var decisive = ViewMark(key: store.ticketKey)
        decisive.add(view.classes)
        if let rules, let facts { decisive.add(view, by: rules, for: facts) }
        let sight = Sight(
            classes, schema: read.rows,
            rows: part(of: read.rows, without: view.unknownNames(of: read.rows)),
            fingerprint: view.fingerprint, mark: decisive.text)
        state.withLock { state in
            guard state.schema === read.rows else { return }
            if state.sights.count >= Self.sightCountMax { state.sights = [:] }
            state.sights[view] = sight
        }
        return sight
    }

    /// The schema without some names, which is one for all who do not know them.
    private func part(of schema: RowSchema, without unknown: UnknownNames) -> RowSchema {
        if unknown.isEmpty { return schema }
        let known = state.withLock { $0.schema === schema ? $0.parts[unknown] : nil }
        if let known { return known }
        let part = RowSchema(schema, without: unknown)
        return state.withLock { state in
            guard state.schema === schema else { return part }
            if let known = state.parts[unknown] { return known }
            if state.parts.count >= Self.partCountMax { state.parts = [:] }
            state.parts[unknown] = part
            return part
        }
    }

    /// Sets a document and waits until that is durable.
    ///
    /// - Parameters:
    ///   - stated: The document, with the revision that it was made from.
    ///   - precondition: Whether it may take the place of the present revision, 0 where there is none.
    /// - Returns: The rules as they are now.
    /// - Throws: ``RequestFault`` `.invalid` for what does not hold in the schema, `.conflict` for another revision,
    ///   `.preconditionFailed`.
    package func put(
        _ stated: AccessReader.Stated,
        where precondition: @escaping @Sendable (_ revision: UInt64) -> Bool
    ) throws(RequestFault) -> AccessRules {
        let store = store
        let text = stated.document.text
        guard text.utf8.count <= AccessDocument.byteCountMax else {
            throw RequestFault(
                .invalid, "too-large",
                "An access document has at most \(AccessDocument.byteCountMax) bytes.")
        }
        let made = Mutex<AccessRules?>(nil)
        try AwaitedWrite.run(in: store, fault) { transaction throws(StoreError) in
            let present = try transaction.accessDocument()
            let rules: AccessRules
            do throws(RequestFault) {
                // The schema's changes are made by this thread too.
                rules = try Self.rules(
                    of: stated, text, after: present, where: precondition, store.catalog.rows)
            } catch {
                throw .refused(error)
            }
            made.withLock { $0 = rules }
            store.keepFormerValues(of: rules.kept)
            guard present?.text != text else { return }
            transaction.putAccessDocument(StoredDocument(revision: rules.revision, text: text))
        }
        isSet.store(true, ordering: .releasing)
        guard let rules = made.withLock({ $0 }) else {
            throw RequestFault(.failed, "internal-error", "The document could not be set.")
        }
        state.withLock { state in
            guard rules.revision >= state.stored?.revision ?? 0 else { return }
            state = State(
                stored: StoredDocument(revision: rules.revision, text: text), rules: rules,
                schema: rules.schema)
            hasRoleForAnyone.store(rules.document.isForAnyone, ordering: .releasing)
        }
        for observer in observers.withLock({ $0 }) { observer() }
        return rules
    }

    /// Checks a document and changes nothing.
    ///
    /// - Returns: The rules that would be.
    /// - Throws: As ``put(_:where:)``.
    package func preview(
        _ stated: AccessReader.Stated, where precondition: (_ revision: UInt64) -> Bool
    ) throws(RequestFault) -> AccessRules {
        let stored: StoredDocument?
        do { stored = try store.accessDocument() } catch { throw fault(error) }
        return try Self.rules(
            of: stated, stated.document.text, after: stored, where: precondition,
            store.catalog.rows)
    }

    /// Makes the rules of a document in the place of the stored one, whose revision they keep where it says the same.
    private static func rules(
        of stated: AccessReader.Stated, _ text: String, after stored: StoredDocument?,
        where precondition: (_ revision: UInt64) -> Bool, _ schema: RowSchema
    ) throws(RequestFault) -> AccessRules {
        let present = stored?.revision ?? 0
        guard precondition(present) else {
            throw RequestFault(
                .preconditionFailed, "precondition-failed",
                "The access document is not the one that the request's condition names; read it again and repeat the "
                    + "change.")
        }
        guard stated.revision == nil || stated.revision == present else {
            throw RequestFault(
                .conflict, "access-revision",
                "The access document was made from another revision than the present one, \(present); read it again and "
                    + "repeat the change.")
        }
        return try AccessRules(
            stated.document, revision: stored?.text == text ? present : present + 1,
            schema: schema)
    }
}
