;;; contextd.el --- Which context a model should see  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "27.1"))

;;; Commentary:

;; `contextd-context', `contextd-explain' and `contextd-search' ask about the current
;; buffer as it is shown; (contextd-text "a question") is for code of yours.
;; `contextd-setup-eglot' makes Eglot check and complete context files.

;;; Code:

(require 'jsonrpc)
(require 'project)
(require 'seq)
(require 'url-util)

(defgroup contextd nil "Which context a model should see." :group 'tools)

(defcustom contextd-command '("contextd" "lsp")
  "The language server."
  :type '(repeat string))

(defvar contextd-changed-hook nil
  "Runs when the context of an open project has changed.")

(defvar contextd--connections (make-hash-table :test #'equal)
  "Connections by the root of their project.")

(defun contextd--uri (path)
  "The address of the file at PATH."
  (concat "file://" (url-hexify-string (expand-file-name path) url-path-allowed-chars)))

(defun contextd--root ()
  "The root of the project of the current buffer."
  (let ((project (project-current)))
    (directory-file-name
     (expand-file-name
      (cond ((null project) default-directory)
            ((fboundp 'project-root) (project-root project))
            (t (car (with-no-warnings (project-roots project)))))))))

(defun contextd--answer (_connection method params)
  "Answer the server's request METHOD with PARAMS."
  (when (eq method 'window/showMessageRequest)
    (let ((actions (append (plist-get params :actions) nil)))
      (seq-find (lambda (action)
                  (equal (plist-get action :title)
                         (if (y-or-n-p (concat (plist-get params :message) " ")) "Allow" "Not now")))
                actions))))

(defun contextd--told (_connection method _params)
  "Take the notification METHOD of the server."
  (when (eq method 'contextd/changed) (run-hooks 'contextd-changed-hook)))

(defun contextd--connect (root)
  "A connection to a server for the project at ROOT, made now if there is none."
  (let ((known (gethash root contextd--connections)))
    (if (and known (jsonrpc-running-p known)) known
      (let* ((process (make-process :name "contextd" :command contextd-command :connection-type 'pipe
                                    :coding 'utf-8-emacs-unix :noquery t
                                    :stderr (get-buffer-create "*contextd stderr*")))
             (connection (make-instance 'jsonrpc-process-connection :name "contextd" :process process
                                        :request-dispatcher #'contextd--answer
                                        :notification-dispatcher #'contextd--told))
             (folder (list :uri (contextd--uri root) :name root)))
        (jsonrpc-request connection :initialize
                         (list :processId (emacs-pid) :rootUri (contextd--uri root)
                               :capabilities (list :workspace '(:workspaceFolders t))
                               :workspaceFolders (vector folder)))
        (jsonrpc-notify connection :initialized (make-hash-table))
        (puthash root connection contextd--connections)))))

(defun contextd--place ()
  "Where point is, as the server counts."
  (list :line (1- (line-number-at-pos nil t))
        :character (/ (length (encode-coding-string
                               (buffer-substring-no-properties (line-beginning-position) (point))
                               'utf-16le))
                      2)))

(defun contextd--document (buffer)
  "What BUFFER shows, as the server takes it."
  (with-current-buffer buffer
    (save-restriction
      (widen)
      (list :uri (contextd--uri buffer-file-name) :version 1
            :languageId (replace-regexp-in-string "\\(-ts\\)?-mode\\'" "" (symbol-name major-mode))
            :text (buffer-substring-no-properties (point-min) (point-max))))))

(defun contextd--request (method &rest params)
  "Ask METHOD with PARAMS about the current buffer, with all that is not saved."
  (let* ((connection (contextd--connect (contextd--root)))
         (about (and buffer-file-name (list :textDocument (list :uri (contextd--uri buffer-file-name))
                                            :position (contextd--place))))
         (documents (mapcar #'contextd--document
                            (seq-filter (lambda (each) (and (buffer-file-name each)
                                                            (or (buffer-modified-p each) (eq each (current-buffer)))))
                                        (buffer-list)))))
    (dolist (each documents) (jsonrpc-notify connection :textDocument/didOpen (list :textDocument each)))
    (unwind-protect (jsonrpc-request connection method (append about params) :timeout 600) ; a question may wait
      (dolist (each documents)
        (jsonrpc-notify connection :textDocument/didClose `(:textDocument (:uri ,(plist-get each :uri))))))))

(defun contextd--context (question)
  "What a model should see for QUESTION in the current buffer."
  (apply #'contextd--request :contextd/context :render "markdown"
         (and question (not (string-empty-p question)) (list :query question))))

(defun contextd-text (&optional question)
  "What a model should see for QUESTION in the current buffer, as Markdown."
  (plist-get (contextd--context question) :text))

(defun contextd--show (name answer text)
  "Show TEXT, which is made of ANSWER, in a buffer called NAME."
  (with-help-window (format "*contextd %s*" name) (princ text))
  (pcase (append (plist-get answer :warnings) nil)
    (`(,first . ,others)
     (message "contextd: %s%s%s" (if (plist-get first :path) (concat (plist-get first :path) ": ") "")
              (plist-get first :message) (if others (format " (first of %d warnings)" (1+ (length others))) "")))))

(defun contextd--rows (items row)
  "A line for each of ITEMS, which ROW makes."
  (let ((visible (lambda (sign) (format "\\u{%x}" (string-to-char sign)))))
    (mapconcat (lambda (each) (replace-regexp-in-string "[[:cntrl:]]" visible (funcall row each) t t)) items "\n")))

;;;###autoload
(defun contextd-context (question)
  "Show what a model should see for QUESTION in the current buffer."
  (interactive "sQuestion (may be empty): ")
  (let ((answer (contextd--context question)))
    (contextd--show "context" answer (plist-get answer :text))))

;;;###autoload
(defun contextd-explain ()
  "Show why context files apply to the current buffer, or do not."
  (interactive)
  (let ((answer (contextd--request :contextd/explain)))
    (contextd--show "explain" answer
                    (contextd--rows (plist-get answer :candidates)
                                    (lambda (each) (format "%-9s %s  %s" (plist-get each :verdict) (plist-get each :path)
                                                           (plist-get (plist-get each :reason) :code)))))))

;;;###autoload
(defun contextd-search (query)
  "Show the rules and references that QUERY finds."
  (interactive "sSearch: ")
  (let ((answer (contextd--request :contextd/search :query query)))
    (contextd--show "search" answer
                    (contextd--rows (plist-get answer :results)
                                    (lambda (each) (format "%.2f  %s" (plist-get each :score) (plist-get each :name)))))))

;;;###autoload
(defun contextd-setup-eglot (&rest modes)
  "Make Eglot use contextd in MODES, such as `markdown-mode' and `yaml-mode'."
  (with-eval-after-load 'eglot
    (with-no-warnings (add-to-list 'eglot-server-programs (cons modes contextd-command)))))

(provide 'contextd)
;;; contextd.el ends here
