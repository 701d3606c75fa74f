import HoldfastObjectStore
import HoldfastThreads

/// The views of one version that threads read at once, each with its own. Thread-safe.
final class FrozenViews: Sendable {
    private struct State {
        var pinned: PinnedVersion?
        var views: [UInt: StoreView] = [:]
    }

    private let state: Monitor<State>

    init(_ pinned: PinnedVersion) { state = Monitor(State(pinned: pinned)) }

    /// The view of the calling thread, which it alone uses. Cost: a lock and a look-up.
    var view: StoreView {
        state.withLock { state in
            if let view = state.views[ViewState.currentThread] { return view }
            guard let pinned = state.pinned else { preconditionFailure("the version is let go") }
            let view = pinned.openView()
            state.views[ViewState.currentThread] = view
            return view
        }
    }

    /// Lets go of the version: after its last reader.
    func close() {
        state.withLock { state in
            for view in state.views.values { view.close() }
            state = State()
        }
    }
}
