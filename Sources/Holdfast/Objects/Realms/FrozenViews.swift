import HoldfastObjectStore
import HoldfastThreads

/// The views of one version that several threads read at the same time, a view for each thread. Thread-safe.
final class FrozenViews: Sendable {
    private struct State {
        var pinned: PinnedVersion?
        var views: [UInt: StoreView] = [:]
    }

    private let state: Monitor<State>

    init(_ pinned: PinnedVersion) { state = Monitor(State(pinned: pinned)) }

    /// The view of the calling thread; no other thread uses it. Cost: a lock and a look-up.
    var view: StoreView {
        state.withLock { state in
            if let view = state.views[ViewState.currentThread] { return view }
            guard let pinned = state.pinned else { preconditionFailure("the version was freed") }
            let view = pinned.openView()
            state.views[ViewState.currentThread] = view
            return view
        }
    }

    /// Releases the version. Called after its last reader.
    func close() {
        state.withLock { state in
            for view in state.views.values { view.close() }
            state = State()
        }
    }
}
