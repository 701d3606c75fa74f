import CMicroHTTPD
import Glibc

// The functions that libmicrohttpd calls. Each finds its object and hands over.

/// The request line is complete: the raw target, before libmicrohttpd takes it apart. What this
/// returns is the request's context in all later calls.
let targetReceived:
    @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer? = { _, target, handle in
        guard let target, let handle, let context = shim_connection_context(handle) else {
            return nil
        }
        return Unmanaged<Connection>.fromOpaque(context)._withUnsafeGuaranteedRef { connection in
            let request = connection.nextRequest()
            guard request.begin(target) else { return nil }
            // The request has a copy of the target, and no use for cookies.
            shim_drop_query(target)
            shim_hide_cookies(handle)
            connection.deadline.store(
                request.startedAt
                    &+ UInt64(connection.server.options.headerTimeoutSeconds) &* 1_000_000_000,
                ordering: .relaxed)
            return Unmanaged.passUnretained(request).toOpaque()
        }
    }

/// Called when the headers are complete, for each piece of the body, when the request is complete,
/// and after each resumption.
let accessHandler: MHD_AccessHandlerCallback = {
    _, handle, _, method, version, data, count, context in
    guard let count, let method, let version, let raw = context?.pointee else { return .NO }
    // The connection holds the request until it is over.
    return Unmanaged<Request>.fromOpaque(raw)._withUnsafeGuaranteedRef { request in
        request.connection.server.handle(
            request, method: method, version: version, data: data, count: count)
    }
}

extension Server {
    @inline(__always)
    fileprivate func handle(
        _ request: Request, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        data: UnsafePointer<CChar>?, count: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        switch request.phase {
        case .headers:
            return begin(request, method: method, version: version)
        case .receiving, .refused:
            if count.pointee > 0 {
                let bytes = UnsafeRawBufferPointer(start: data, count: count.pointee)
                // While an upload waits, the piece stays where it is and is offered again.
                if request.upload != nil, request.connection.isUploadWaiting { return .YES }
                count.pointee = 0
                return receive(bytes, for: request)
            }
            return finish(request)
        case .waiting:
            return answer(request)
        case .replied, .finished:
            count.pointee = 0
            return .YES
        }
    }
}

/// The request is over, for whatever reason.
let requestCompleted: MHD_RequestCompletedCallback = { _, _, context, reason in
    guard let raw = context?.pointee else { return }
    context?.pointee = nil
    Unmanaged<Request>.fromOpaque(raw)._withUnsafeGuaranteedRef { request in
        request.connection.server.complete(request, reason)
    }
}

/// A connection was opened or is about to be closed.
let connectionChanged: MHD_NotifyConnectionCallback = { context, handle, stored, event in
    guard let context, let handle, let stored else { return }
    let server = Unmanaged<Server>.fromOpaque(context).takeUnretainedValue()
    if event == .CONNECTION_NOTIFY_STARTED {
        stored.pointee = Unmanaged.passRetained(server.open(handle)).toOpaque()
    } else if let raw = stored.pointee {
        stored.pointee = nil
        server.closed(Unmanaged<Connection>.fromOpaque(raw).takeRetainedValue())
    }
}

/// A line of libmicrohttpd's own log: clients that leave in the middle, mostly.
let libraryLog: shim_log_line = { context, line in
    guard let context, let line else { return }
    let server = Unmanaged<Server>.fromOpaque(context).takeUnretainedValue()
    guard server.logger.level <= .debug else { return }
    var text = String(cString: line)
    while text.last == "\n" { text.removeLast() }
    server.logger.log(.debug, "libmicrohttpd", ("detail", .text(text)))
}

/// Gives back the bytes of a reply.
let releaseBytes: MHD_ContentReaderFreeCallback = { context in
    if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
}

/// Pulls the next piece of a reply.
let pullBody: MHD_ContentReaderCallback = { context, _, buffer, count in
    guard let context, let buffer else { return shim_pull_failed }
    let body = Unmanaged<PullBody>.fromOpaque(context).takeUnretainedValue()
    switch body.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count)) {
    case .bytes(let written) where written > 0 && written <= count: return written
    case .end: return shim_pull_end
    case .bytes, .failed: return shim_pull_failed
    }
}

/// The reply is over.
let closeBody: MHD_ContentReaderFreeCallback = { context in
    if let context { Unmanaged<PullBody>.fromOpaque(context).takeRetainedValue().close() }
}
