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
        /// By schema, the latest first: of the present, and of a version that is pinned.
        var known: [KnownSights] = []
    }

    private let store: Store
    private let state: Mutex<State>
    private let isSet: Atomic<Bool>
    private let hasRoleForAnyone: Atomic<Bool>
    private let hasSignUp: Atomic<Bool>
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
            hasSignUp = Atomic(document?.signUp ?? false)
            // What happens before a user asks is logged for them, too.
            if stored != nil { _ = try? rules(for: store.catalog.rows) }
        } catch {
            // Reported. What can't be read allows nothing.
            _ = fault(error)
            state = Mutex(State())
            isSet = Atomic(true)
            hasRoleForAnyone = Atomic(false)
            hasSignUp = Atomic(false)
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
        let schema = store.catalog.rows
        if let rules = try rules(for: schema), rules.revision == stored.revision {
            return (stored.revision, rules.document, rules.warnings)
        }
        let document = try AccessReader.read(text: stored.text)
        do throws(RequestFault) {
            let rules = try AccessRules(
                document, revision: stored.revision, rulesRevision: stored.rulesRevision,
                schema: schema)
            return (stored.revision, document, rules.warnings)
        } catch {
            return (stored.revision, document, error.errors)
        }
    }

    /// Whether there is a document. Cost: an atomic load.
    package var hasDocument: Bool { isSet.load(ordering: .acquiring) }

    /// Whether a role is for anyone, and not for users alone. Cost: an atomic load.
    package var isForAnyone: Bool { hasRoleForAnyone.load(ordering: .acquiring) }

    /// Whether anybody may make an account. Cost: an atomic load.
    package var allowsSignUp: Bool { hasSignUp.load(ordering: .acquiring) }

    /// The rules for a schema; nil where there is no document, or none that holds in it. Checked once for a schema.
    package func rules(for schema: RowSchema) throws(RequestFault) -> AccessRules? {
        try known(in: schema).rules
    }

    /// The rules for a schema, with the sights that they have made.
    private func known(in schema: RowSchema) throws(RequestFault) -> KnownSights {
        let mayBeFormer = schema.definition.revision < store.catalog.schema.revision
        let known = state.withLock { $0.known.first { $0.schema === schema } }
        // What was made of it while it was the present one is another document's by now.
        if let known, known.isFormer == mayBeFormer {
            if known.hasEnded { throw .snapshotOfOtherNames }
            return known
        }
        // A change of the schema may have changed the document with it.
        var stored: StoredDocument?
        var present = schema
        if hasDocument {
            do { (stored, present) = try store.accessDocumentWithSchema() } catch {
                throw fault(error)
            }
        }
        let isFormer = schema.definition.revision < present.definition.revision
        var hasEnded = false
        let rules = stored.flatMap { stored -> AccessRules? in
            guard let document = try? AccessReader.read(text: stored.text) else { return nil }
            let rules = try? AccessRules(
                document, revision: stored.revision, rulesRevision: stored.rulesRevision,
                schema: isFormer ? present : schema)
            guard isFormer, let rules else { return rules }
            // A version that is pinned has the schema of its time.
            let former = (try? rules.document(for: schema)).flatMap(\.self).flatMap {
                try? AccessRules(
                    $0, revision: stored.revision, rulesRevision: stored.rulesRevision,
                    schema: schema)
            }
            hasEnded = former == nil
            return former
        }
        let made = KnownSights(rules, in: schema, isFormer: isFormer, hasEnded: hasEnded)
        keep(made, stored)
        if hasEnded { throw .snapshotOfOtherNames }
        return made
    }

    /// Keeps the rules for a schema, unless a newer document is known.
    private func keep(_ made: KnownSights, _ stored: StoredDocument?) {
        state.withLock { state in
            let (revision, present) = (stored?.revision ?? 0, state.stored?.revision ?? 0)
            guard revision >= present else { return }
            if revision > present { state = State(stored: stored) }
            let others = state.known.filter { $0.schema !== made.schema }
            state.known = [made] + others.prefix(1)
            if let rules = made.rules, made.schema === store.catalog.rows {
                store.keepFormerValues(of: rules.kept)
            }
        }
    }

    /// Has `body` run whenever other rules hold, on the thread that set them.
    package func observe(_ body: @escaping @Sendable () -> Void) {
        observers.withLock { $0.append(body) }
    }

    /// Makes what a principal may do on a view of the bare store; nil where there is no document. One that does not hold in the
    /// view's schema allows nothing.
    package func view(
        for principal: Principal, on read: StoreView
    ) throws(RequestFault) -> AccessView? {
        try hasDocument ? decided(for: principal, on: read).view : nil
    }

    /// Makes what a principal may read on a view of the bare store, or finds it; nothing where no document holds. Cost where it is known:
    /// two locks, and a look at what rules read of the user's claims and object.
    func sight(for principal: Principal, on read: StoreView) throws(RequestFault) -> Sight {
        try decided(for: principal, on: read).sight
    }

    /// Makes what a principal may read and do, or finds it.
    private func decided(
        for principal: Principal, on read: StoreView
    ) throws(RequestFault) -> (sight: Sight, view: AccessView) {
        let known = try known(in: read.rows)
        // Where a token's right decides, or no document holds, nothing is asked.
        var facts: PrincipalFacts?
        if principal.token == nil, let rules = known.rules {
            do throws(StoreError) {
                facts = try PrincipalFacts(principal, usersClass: rules.usersClass, on: read)
            } catch {
                throw fault(error)
            }
        }
        let references = facts == nil ? [] : known.rules?.references ?? []
        let asker = KnownSights.Asker(
            isUser: principal.user != nil, token: principal.token, classes: principal.classes,
            values: references.map { facts?.value(of: $0) })
        if let decided = known.decided(for: asker) { return decided }
        let (view, mark) = made(for: principal, facts, by: known)
        let sight = known.sight(of: view, named: mark)
        // Values that could not be read in time must not be used as the user's values.
        do throws(StoreError) { try read.checkFailure() } catch { throw fault(error) }
        known.keep(sight, of: asker, view, named: mark)
        return (sight, view)
    }

    /// Makes the permissions and the name of a principal's view.
    ///
    /// - `facts`: Nil if rules are not evaluated.
    private func made(
        for principal: Principal, _ facts: PrincipalFacts?, by known: KnownSights
    ) -> (AccessView, ViewMark) {
        var view = AccessView.nothing
        if let token = principal.token {
            view = AccessView(token.right, principal.classes, in: known.schema)
        } else if let rules = known.rules, let facts {
            view = rules.view(for: facts, isUser: principal.user != nil)
            view.limit(to: principal.classes, in: known.schema)
        }
        return (view, ViewMark(of: view, by: known.rules, for: facts, key: store.ticketKey))
    }

    /// Finds out whether a principal may have been barred at some version since one, or whether its token had other terms then.
    ///
    /// Cost: a look-up, in the last commit and not in the view, since users are let in without a new version.
    func wasShutOut(
        _ principal: Principal, since version: UInt64, on read: StoreView
    ) throws(RequestFault) -> Bool {
        if version < principal.accessVersion { return true }
        guard let user = principal.user else { return false }
        do throws(StoreError) {
            guard let record = try store.user(user) else { return false }
            if version < record.accessVersion { return true }
            guard record.horizon > .min,
                let milliseconds = try read.milliseconds(ofVersion: version + 1)
            else { return false }
            // What was issued before the horizon is void: tokens, sessions, and cursors.
            return Int64(clamping: milliseconds / 1000) < record.horizon
        } catch {
            throw fault(error)
        }
    }

    /// Finds out whether a principal may have had another view at some version, because its own object, or an object that this leads to, was
    /// different. The document must be the same, which the name of the view shows.
    ///
    /// - Parameters:
    ///   - principal: The principal.
    ///   - version: The version to begin with.
    ///   - changes: The changes from there to the version of the view, of the classes that decide.
    ///   - read: A view that shows everything.
    /// - Returns: Whether the view was or may have been different.
    /// - Throws: ``RequestFault`` when storage fails.
    func readOtherwise(
        _ principal: Principal, since version: UInt64, _ changes: FoldedChanges,
        on read: StoreView
    ) throws(RequestFault) -> Bool {
        let known = try known(in: read.rows)
        guard principal.token == nil, let rules = known.rules,
            let (classIndex, key) = rules.decidingKey(of: principal)
        else { return false }
        let facts: PrincipalFacts
        do throws(StoreError) {
            facts = try PrincipalFacts(principal, usersClass: rules.usersClass, on: read)
        } catch {
            throw fault(error)
        }
        let values = rules.decidingReferences.map { facts.value(of: $0) }
        let (_, mark) = made(for: principal, facts, by: known)
        let object = PastObject(
            classIndex: classIndex, primaryKey: key, reading: rules.decidingReads, changes,
            in: read)
        let wasSame = object.forEachVersion(since: version) { object, source in
            let facts = PrincipalFacts(principal, object, in: source, read.rows)
            return rules.decidingReferences.map { facts.value(of: $0) } == values
                || made(for: principal, facts, by: known).1 == mark
        }
        do throws(StoreError) { try read.checkFailure() } catch { throw fault(error) }
        return !wasSame
    }

    /// Makes what a principal may do in a transaction that begins from a view of the bare store; nothing where no document holds.
    func rights(
        for principal: Principal, on read: StoreView
    ) throws(RequestFault) -> WriteRights {
        let (sight, view) = try decided(for: principal, on: read)
        let deciding = { @Sendable [self] (read: StoreView) throws(StoreError) in
            do throws(RequestFault) {
                return try rules(for: read.rows)?.decidingObject(of: principal)
            } catch {
                throw StoreError.refused(error)
            }
        }
        return WriteRights(of: principal.user, sight: sight, deciding: deciding) { classIndex in
            view.roles.compactMap { $0.classes[classIndex]?.writing }
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
        let made = Mutex<AccessRules?>(nil)
        do throws(RequestFault) {
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
                transaction.putAccessDocument(
                    StoredDocument(
                        revision: rules.revision, rulesRevision: rules.rulesRevision, text: text))
            }
        } catch {
            // The document of before holds.
            if let rules = try rules(for: store.catalog.rows) {
                store.keepFormerValues(of: rules.kept)
            }
            throw error
        }
        guard let rules = made.withLock({ $0 }) else {
            throw RequestFault(.failed, "internal-error", "The document could not be set.")
        }
        state.withLock { state in
            guard rules.revision >= state.stored?.revision ?? 0 else { return }
            state = State(
                stored: StoredDocument(
                    revision: rules.revision, rulesRevision: rules.rulesRevision, text: text),
                known: [
                    KnownSights(rules, in: rules.schema, isFormer: false, hasEnded: false)
                ])
            hasRoleForAnyone.store(rules.document.isForAnyone, ordering: .releasing)
            hasSignUp.store(rules.document.signUp, ordering: .releasing)
        }
        isSet.store(true, ordering: .releasing)
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
        guard text.utf8.count <= AccessDocument.byteCountMax else {
            throw RequestFault(
                .invalid, "too-large",
                "An access document has at most \(AccessDocument.byteCountMax) bytes.")
        }
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
        let isSame = stored?.text == text
        return try AccessRules(
            stated.document, revision: isSame ? present : present + 1,
            rulesRevision: isSame ? stored?.rulesRevision : nil, schema: schema)
    }
}
