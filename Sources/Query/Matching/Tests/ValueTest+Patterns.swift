import HoldfastRows
import HoldfastText

/// Strings, or strings among values of kind `mixed`, that match a regular expression as a whole.
final class PatternTest: ValueTest {
    private let pattern: TextPattern
    /// Takes accents away where they do not count.
    private let folder: TextFolder?
    private let storage: ElementStorage
    private let bound: BoundSource

    /// Makes a test; nil for what is no regular expression, which the checker refuses.
    init?(
        _ text: String, _ storage: ElementStorage, _ relation: Relation, _ bound: BoundSource
    ) {
        // One value may take as long as thousands of others, so that the job has to yield to other jobs meanwhile.
        let mayContinue = { [bound] in bound.budget.look() }
        guard let pattern = try? relation.pattern(text, mayContinue) else { return nil }
        self.pattern = pattern
        folder = relation.ignoresAccents ? TextFolder(ignoresCase: false) : nil
        self.storage = storage
        self.bound = bound
        super.init(nullResult: false)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let budget = bound.budget
        guard budget.look() else { return false }
        var text = UnsafeRawBufferPointer(start: address, count: count)
        if storage == .mixed {
            let value = MixedView(text)
            guard value.kind == .string else { return false }
            text = value.payload
        }
        if let folder { text = folder.fold(text) }
        switch pattern.matches(text) {
        case .no: return false
        case .yes: return true
        // The budget has failed.
        case .stopped: break
        case .outOfMemory: budget.fail(.memory)
        case .tooComplex: budget.fail(.pattern)
        }
        return false
    }
}

/// Strings that have the words of a search; null has none.
final class WordTest: ValueTest {
    private let matcher: TextSearchMatcher
    private let bound: BoundSource

    init(_ search: TextSearch, _ bound: BoundSource) {
        matcher = TextSearchMatcher(search)
        self.bound = bound
        super.init(nullResult: search.required.isEmpty)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let budget = bound.budget
        return matcher.matches(UnsafeRawBufferPointer(start: address, count: count)) {
            budget.spend($0)
        }
    }
}
