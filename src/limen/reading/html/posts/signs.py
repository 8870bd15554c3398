"""How forum software, comment sections and question sites mark a post and its parts, as CSS selectors.

Sources are the templates of the engines themselves (the markup their default themes write) and schema.org's terms.
"""


def _any(*selectors: str) -> str:
    return ",".join(selectors)


_POST_TYPES = ("Comment", "Answer", "Question", "DiscussionForumPosting", "SocialMediaPosting", "Review", "UserComments")

# What schema.org calls them, in microdata.
TYPED = ",".join(f'[itemtype$="/{name}"]' for name in _POST_TYPES)
# What one post is. The innermost of these around a body that also names an author is its post.
POSTS = _any(
    TYPED,
    '[typeof~="Comment"],[typeof~="schema:Comment"],[typeof~="sioc:Post"],[typeof~="schema:Answer"],[typeof~="schema:Question"]',
    "article.message,li.message,.message--post",  # XenForo 2 and 1, Burning Board
    "div.post,td.post,li.post,article.post.comment",  # phpBB, MyBB, PunBB's heirs
    ".blockpost",  # FluxBB
    'table[id^="post"],div[id^="edit"] > table,li.postbit,li.postcontainer,li.b-post',  # vBulletin 3, 4, 5
    ".ipsComment,article.ipsEntry,.cPost",  # Invision
    ".post_wrapper",  # Simple Machines
    ".PostStream-item,.PostStream > div",  # Flarum
    ".question,.answer,.js-answer,.comments-list > li.comment",  # Stack Exchange
    ".thing,shreddit-comment,shreddit-post",  # Reddit
    "tr.athing,.fatitem",  # Hacker News
    "article.comment-node,.comment-node,.post-listing",  # Lemmy
    ".timeline-comment,.js-comment-container,[data-testid='comment-viewer-outer-box'],[data-testid='issue-body']",  # GitHub
    "li.comment,article.comment-body,div.comment,article.comment,li.pingback",  # WordPress, Drupal and many more
    ".crawler-post,.topic-post",  # Discourse
    '[component="post"]',  # NodeBB
    ".ItemDiscussion,.ItemComment",  # Vanilla
    ".bbp-reply,.bbp-topic",  # bbPress
    ".lia-message-view-wrapper,[class*=MessageViewStandard_lia-article]",  # Khoros
    ".commentthread_comment,.forum_op",  # Steam
    ".postItem,td.msg,.post-box",  # JForum's heirs and older boards
)
# What was written.
BODIES = _any(
    *(f'[itemtype$="/{name}"] [itemprop~="{prop}"]' for name in _POST_TYPES for prop in ("text", "articleBody")),
    '[itemtype$="/Review"] [itemprop~="reviewBody"],[itemtype$="/UserComments"] [itemprop~="commentText"]',
    '[typeof] [property~="schema:text"],[typeof~="Comment"] [property~="text"],[typeof] [property~="content:encoded"]',
    ".message-body .bbWrapper,.messageContent .messageText,.messageBody .messageText",
    ".postbody .content,.post_body,.postmsg:not(.postsignature),.post > .content,.post .post-content",
    '[id^="post_message_"],blockquote.postcontent,.js-post__content-text',
    "[data-role=commentContent],.ipsComment .ipsType_richText.ipsContained,.inner[id^=msg_],.inner[data-msgid],.Post-body",
    ".js-post-body,.comment-copy,.entry .usertext-body,shreddit-comment [slot=comment],shreddit-post [slot=text-body]",
    ".commtext,.toptext,.comment-node .md-div,.post-listing .md-div",
    "td.comment-body,.js-comment-body,[data-testid=markdown-body]",
    ".comment-content,.comment-body > .comment-text,.comment_text,"
    ".comment-text:not(.js-comment-text-and-form):not(:has(> .description)),"
    ".comment-text > .description,.commentBody,.commentText,.comment__body,"
    ".comment__content",
    ".crawler-post > .post,.topic-post .cooked",
    '[component="post/content"],.Item-Body > .Message,.ItemComment .Message,.ItemDiscussion .Message',
    ".bbp-reply-content,.bbp-topic-content,.lia-message-body-content,[class*=MessageViewStandard_lia-message-body]",
    ".commentthread_comment_text,.forum_op .content,.post-box .post-body,td.msg .msg_text,.postItem .postText",
)
# What a page has where a selector of bodies that does not go by classes alone can match.
MARKED_OTHERWISE = (
    "[typeof],[component],[data-role],[data-msgid],[data-testid=markdown-body],[id^=post_message_],[id^=msg_],"
    "shreddit-comment,shreddit-post,[class*=MessageViewStandard_]"
)
# Posts that are said of something else on the page rather than being the page.
COMMENTS = "li.comment,article.comment-body,div.comment,article.comment,li.pingback"
# Remarks on questions and answers, with votes: of these only what some readers found worth a vote is kept.
REMARKS = ".comments-list > li.comment"
# A single post is one only where the page says so outright.
ALONE = (
    '[itemtype$="/Question"],[itemtype$="/DiscussionForumPosting"],[itemtype$="/SocialMediaPosting"],.question,shreddit-post,'
    ".forum_op"
)
# Where no selector above finds a post: class names that say "text of a comment", and those around them.
GENERIC_BODY = r"(?:comment|reply|message|answer|msg|post)s?[-_]*(?:body|text|content|message|copy|inner)s?(?![a-z])"

# Attributes of a post, or of what lies in it, that hold its author.
AUTHOR_ATTRIBUTES = ("data-author", "data-username", "author", "data-comment-author")
# Who wrote it, best sign first.
AUTHORS = (
    "[itemprop~=author] [itemprop~=name],[itemprop~=creator] [itemprop~=name]",
    "[itemprop~=author],[itemprop~=creator],[rel~=author],[property~='schema:author'],[rel~='schema:author'],"
    "[rel~='sioc:has_creator']",
    ".username,.Username,.hnuser,.bigusername,.message-name,.fn,.userName,.user-name,.author-name,.author_name,.comment-user,"
    ".person-listing,.lia-user-name-link,.bbp-author-name,.bbp-reply-post-name,.commentthread_author_link,.PostUser-name,"
    "[class*=lia-author-text],.name.menu_toggle,.comment-author,.woocommerce-review__author",
    ".cAuthorPane_author a,.author_information a,.poster h4 a,.user-details a,.postleft dt,.by a,.tagline .author,"
    ".byline > span > a:not([aria-hidden]),.postItmCntnt .name,.names a,.post-box-byline",
    "a.author,.author a,.author,.poster a,[class*=author] a,[class*=username],[class*=user-name],[class*=byline] a",
    "a[href*='/user/'],a[href*='/users/'],a[href*='/profile'],a[href*='/member'],a[href*='/u/'],a.user,.user a",
)
# When, best sign first.
DATES = (
    ".post-signature.owner .relativetime",  # not when it was edited
    "[itemprop~=datePublished],[itemprop~=dateCreated],[itemprop~=publishDate],[itemprop~=commentTime],"
    "[property~='schema:dateCreated']",
    "time[datetime],time[title],relative-time[datetime],[datetime],faceplate-timeago[ts],woltlab-core-date-time",
    ".relativetime,.relativetime-clean,.age[title],.timeago,.DateTime,.postdate,.post_date,.post-date,.post_time,"
    ".post-time,.keyinfo a,"
    ".comment-date,.comment-metadata a,.commentthread_comment_timestamp,.date,.posted,.otherdetails,.moment-time",
    "p.author,.blockpost h2 a,[class*=date],[class*=timestamp],[class*=-time],[class*=_time],[class*=posted],"
    "[class*=when] [title]",
)
# How it was judged, and what the number counts.
SCORES = (
    ("[itemprop~=upvoteCount],.js-vote-count,.comment-score,[component='post/vote-count'],.bbp-voting .score", "votes"),
    (".score.unvoted,.score,.upvoter", "points"),
    (".ipsReact_reactCount,.post-likes,.like-count,.likeCount,.lia-kudos-count,[class*=KudosCount]", "likes"),
    (".reactionsBar-link", "reactions"),
    ("[itemprop~=ratingValue]", "stars"),
)
ACCEPTED = (
    "[itemprop~=acceptedAnswer],.accepted-answer,.message--solution,.is-solution,.lia-accepted-solution,"
    ".js-accepted-answer-indicator:not(.d-none),.ipsComment_solved,.accepted"
)
# What a post is called, where it has a name of its own.
TITLES = (
    "h1,[itemprop~=headline],.forum_op > .topic,.comment-title,.comment__title,.review-title,.review__title,"
    ".post-title,.title > h4,h3[class*=subject]"
)
# Files that were added to a post, outside of its text.
ATTACHMENTS = ".message-attachments a[href],.attachbox a[href],.attachments a[href],.postattachments a[href],.ipsAttachLink"
# What stands in a post's text and is none of it.
CLUTTER = (
    ".signature,.message-signature,.postsignature,.ipsSignature,.message-lastEdit,.postedit,.edited_post,.post_edit,"
    ".ThankedByBox,[data-excludequote],.ipsTruncate_more,.bbCodeBlock-shrinkLink,.quoteExpand,.js-unfurl-desc,.js-unfurl-favicon,"
    ".bbCodeBlock-expandLink,.js-selectToQuoteEnd,.codebox > p,.codeheader,.Reactions,.quote_jump,.post-menu,"
    ".comment-tools,.reply,"
    ".bbCodeBlock-expandContent > .js-expandLink,.comment-reply-link,.onebox img,"
    ".onebox-body > p,.onebox-metadata,.onebox > .source,.onebox .github-info,.onebox .github-body-container,.onebox .labels,"
    ".cooked-selection-barrier,.lightbox .meta,"
    ".js-comment-actions"
)
# What forum software puts among the posts of a thread.
AMONG_POSTS = ".cTopicOverviewContainer,.cTopicOverview,[class*=samTextUnit],[class*=samCodeUnit],[class*=samBannerUnit]"
